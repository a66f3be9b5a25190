#include "core/mechanism/worst_shift.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <boost/math/tools/minima.hpp>

#include "core/mechanism/full_shift.hpp"
#include "core/mechanism/gaussian_dp.hpp"
#include "core/poll.hpp"

namespace dpmix {
namespace {

constexpr int kMostLevels = 28;

// A cover that exists takes one or two hundred evaluations, each of a cost that grows with K.
long most_evaluations(const UnitMixture& law) {
  return 600 + 300'000 / (50 + law.components());
}

HockeyStick at_shift(const UnitMixture& law, double epsilon, double shift, double tolerance) {
  poll();
  return shift == 1 ? hockey_stick_full_shift(law, epsilon)
                    : hockey_stick(law, epsilon, shift, tolerance);
}

// By joint convexity delta(shift) is at most that of Gaussian noise of the same scale, which
// increases in the shift.
double gaussian_bound(const UnitMixture& law, double epsilon, double shift) {
  return gdp_delta(epsilon, std::nextafter(shift / law.scale(), HUGE_VAL));
}

// A shift, not much below the largest, up to which the Gaussian's delta is at most the limit.
double easy_shift(const UnitMixture& law, double epsilon, double limit) {
  double low = 0, high = 1;
  for (int step = 0; step < 7; ++step) {
    const double middle = (low + high) / 2;
    (gaussian_bound(law, epsilon, middle) <= limit ? low : high) = middle;
    poll();
  }
  return low;
}

// Cells [i/n, (i+1)/n] of the shifts, n a power of two, halved until each is proved.
class Cover {
 public:
  Cover(const UnitMixture& law, double epsilon, double limit)
      : law_(law),
        epsilon_(epsilon),
        limit_(limit),
        tolerance_(2e-5 * limit),
        evaluations_left_(most_evaluations(law)) {}

  ShiftCover run() {
    int level = std::max(0, static_cast<int>(std::ceil(std::log2(2 / law_.scale()))));
    const double easy_limit = limit_ / 2;
    const double easy = easy_shift(law_, epsilon_, easy_limit);
    double bound = easy_limit;
    std::vector<std::int64_t> cells;
    const std::int64_t count = std::int64_t{1} << level;
    for (auto i = static_cast<std::int64_t>(easy * count); i < count; ++i) {
      cells.push_back(i);
    }
    for (int depth = 0; !cells.empty(); ++depth, ++level) {
      if (depth == kMostLevels || level > finest_level(law_)) return {};
      if (const double shift = halve(cells, level, bound); shift > 0) return {false, 1, shift};
      if (evaluations_left_ < 0) return {};
    }
    return {true, bound, 0};
  }

 private:
  // Drops the cells that are proved at this level, and splits the others. Returns a shift at which
  // the limit is exceeded, or 0.
  double halve(std::vector<std::int64_t>& cells, int level, double& bound) {
    const double half_width = std::ldexp(0.5, -level) / law_.scale();
    const double inflation = (1 + 0x1p-48) / std::cos(half_width);
    const double epsilon =
        epsilon_ + std::log(std::cos(half_width)) - 0x1p-49 * (std::fabs(epsilon_) + 1);
    std::vector<std::int64_t> open;
    std::int64_t last = -1;
    double last_delta = 0, worst = 0, worst_shift = 0;
    const auto delta = [&](std::int64_t i) {
      if (i == last) return last_delta;
      --evaluations_left_;
      const double shift = std::ldexp(static_cast<double>(i), -level);
      last = i;
      last_delta = at_shift(law_, epsilon, shift, tolerance_).upper;
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
      if (most <= limit_) {
        bound = std::max(bound, most);
      } else {
        open.push_back(2 * i);
        open.push_back(2 * i + 1);
      }
    }
    cells = std::move(open);
    // Nothing smaller at the relaxed epsilon can exceed the limit at the true one.
    if (worst > limit_ && at_shift(law_, epsilon_, worst_shift, tolerance_).lower > limit_) {
      return worst_shift;
    }
    return 0;
  }

  const UnitMixture& law_;
  double epsilon_, limit_, tolerance_;
  long evaluations_left_;
};

}  // namespace

ShiftCover cover_all_shifts(const UnitMixture& law, double epsilon, double limit) {
  const double gaussian = gaussian_bound(law, epsilon, 1);
  if (gaussian <= limit) return {true, gaussian, 0};
  const HockeyStick full = hockey_stick_full_shift(law, epsilon);
  if (full.lower > limit) return {false, 1, 1};
  if (full.upper <= limit && full_shift_is_worst(law, epsilon)) return {true, full.upper, 0};
  return Cover(law, epsilon, limit).run();
}

ShiftPeak look_for_peak(const UnitMixture& law, double epsilon, double from, double tolerance) {
  const auto at = [&](double shift) {
    return ShiftPeak{shift, at_shift(law, epsilon, shift, tolerance).lower};
  };
  const double width = 1 - from;
  const int n = std::clamp(static_cast<int>(std::ceil(6 * width / law.scale())), 8, 128);
  std::vector<ShiftPeak> grid;
  for (int i = 0; i <= n; ++i) grid.push_back(at(i == n ? 1 : from + width * i / n));
  ShiftPeak best = *std::max_element(
      grid.begin(), grid.end(), [](const auto& a, const auto& b) { return a.delta < b.delta; });
  const double highest_on_grid = best.delta;
  for (int i = 0; i <= n; ++i) {
    const bool peak = (i == 0 || grid[i].delta >= grid[i - 1].delta) &&
                      (i == n || grid[i].delta >= grid[i + 1].delta);
    if (!peak || grid[i].delta < 0.5 * highest_on_grid) continue;
    std::uintmax_t most_steps = 16;
    boost::math::tools::brent_find_minima(
        [&](double shift) {
          const ShiftPeak here = at(shift);
          if (here.delta > best.delta) best = here;
          return -here.delta;
        },
        grid[std::max(0, i - 1)].shift, grid[std::min(n, i + 1)].shift, 12, most_steps);
  }
  return best;
}

}  // namespace dpmix
