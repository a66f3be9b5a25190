// The supremum of a hockey-stick divergence delta(shift; epsilon) over all shifts in [0, 1], for
// any noise whose density satisfies f'' >= -f/s^2. It is not monotone in the shift, and between
// grid points it is bounded by theirs:
//   delta(shift; epsilon) <= max(delta(a; e'), delta(b; e')) / cos(h/2s),  shift in [a, b],
//   h = b - a < pi s,  e' = epsilon + log cos(h/2s).
// Proof: docs/proofs/multi_gaussian.md, "All shifts".
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/noise/gaussian/mixture_shift.hpp"

namespace dpmix {

struct ShiftCover {
  bool proved = false;   // that the supremum is at most the limit
  double bound = 1;      // if proved: a proved bound on the supremum, at most the limit
  double violation = 0;  // if not proved and > 0: a shift at which delta exceeds the limit, proved
};

// A lower bound on the supremum found by looking around, and where. No proof of being the worst.
struct ShiftPeak {
  double shift, delta;
};

constexpr double kLeastBound = 1e-300;  // bounds need not be sharp below

struct CellSearch {
  double scale;                 // at most the true s
  double epsilon, limit;        // limit > 0
  double from;                  // at smaller shifts delta is at most limit / 2
  int first_level, last_level;  // widths of cells, 2^-level; the widest is less than pi s
  long most_evaluations;
};

// Cells [i/n, (i+1)/n] of the shifts, n a power of two, halved until each is proved. `stick` gives
// the HockeyStick of (epsilon, shift).
template <class Stick>
class CellCover {
 public:
  CellCover(const CellSearch& search, Stick stick)
      : search_(search), stick_(std::move(stick)), evaluations_left_(search.most_evaluations) {}

  ShiftCover run() {
    const double count = std::ldexp(1.0, search_.first_level);
    std::vector<std::int64_t> cells;
    for (auto i = static_cast<std::int64_t>(search_.from * count);
         i < static_cast<std::int64_t>(count); ++i) {
      cells.push_back(i);
    }
    double bound = search_.limit / 2;
    for (int level = search_.first_level; !cells.empty(); ++level) {
      if (level > search_.last_level) return {};
      if (const double shift = halve(cells, level, bound); shift > 0) return {false, 1, shift};
      if (evaluations_left_ < 0) return {};
    }
    return {true, bound, 0};
  }

 private:
  // Drops the cells that are proved at this level, and splits the others. Returns a shift at which
  // the limit is exceeded, or 0.
  double halve(std::vector<std::int64_t>& cells, int level, double& bound) {
    const double angle = std::ldexp(0.5, -level) / search_.scale;
    const double inflation = (1 + 0x1p-48) / std::cos(angle);
    const double epsilon =
        search_.epsilon + std::log(std::cos(angle)) - 0x1p-49 * (std::fabs(search_.epsilon) + 1);
    std::vector<std::int64_t> open;
    std::int64_t last = -1;
    double last_delta = 0, worst = 0, worst_shift = 0;
    const auto delta = [&](std::int64_t i) {
      if (i == last) return last_delta;
      --evaluations_left_;
      const double shift = std::ldexp(static_cast<double>(i), -level);
      last = i;
      last_delta = stick_(epsilon, shift).upper;
      if (last_delta > worst) {
        worst = last_delta;
        worst_shift = shift;
      }
      return last_delta;
    };
    for (const std::int64_t i : cells) {
      if (evaluations_left_ < 0) return 0;
      const double left = delta(i);
      const double most = inflation * std::max(left, delta(i + 1));
      if (most <= search_.limit) {
        bound = std::max(bound, most);
      } else {
        open.push_back(2 * i);
        open.push_back(2 * i + 1);
      }
    }
    cells = std::move(open);
    // Nothing smaller at the relaxed epsilon can exceed the limit at the true one.
    if (worst > search_.limit && stick_(search_.epsilon, worst_shift).lower > search_.limit) {
      return worst_shift;
    }
    return 0;
  }

  const CellSearch search_;
  Stick stick_;
  long evaluations_left_;
};

// How much the cells of unproved sign may add where a cover asks.
inline double cover_tolerance(double limit) {
  return 2e-5 * limit;
}

// The best estimate at one shift: `stick` gives the HockeyStick of a tolerance.
template <class Stick>
double sharp_value(const Stick& stick) {
  HockeyStick found{0, 0, 1};
  for (double tolerance = 1e-6; tolerance > kLeastBound;) {
    found = stick(tolerance);
    if (found.upper - found.value <= 1e-12 * found.value) break;
    tolerance = std::min(1e-3 * tolerance, found.value > 0 ? 1e-13 * found.value : found.upper);
  }
  return found.value;
}

// A proved bound on the supremum, near what was seen of it: `cover` gives the ShiftCover of a
// limit. The first limit tried is above what was seen by the share `spare`.
template <class Cover>
double bound_above(double seen, double spare, const Cover& cover) {
  double limit = std::max(seen, kLeastBound);
  for (double growth = 1 + spare; limit * growth < 1; growth *= growth) {
    limit *= growth;
    if (const ShiftCover found = cover(limit); found.proved) return found.bound;
  }
  return 1;
}

}  // namespace dpmix
