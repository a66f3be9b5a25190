#include "core/mechanism/quasi_gaussian_cover.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/mechanism/normal_tail.hpp"
#include "core/mechanism/quasi_gaussian_shift.hpp"

namespace dpmix {
namespace {

constexpr int kMostLevels = 26;
constexpr long kMostEvaluations = 200'000;

// At a shift of at most epsilon s^2, f(z) > e^epsilon f(z + shift) only where
// z > epsilon s^2/shift - shift/2, and less at smaller shifts: delta is at most P(Z > that).
double small_shift_bound(const QuasiGaussian& law, double epsilon, double shift) {
  const double s = law.scale, spread = epsilon * s * s * (1 - 0x1p-48);
  if (shift > spread) return 1;
  const double z = (spread / shift - shift / 2) * (1 - 0x1p-48);
  return std::min(1.0, (1 + 1e-6) * quasi_cdf(law, -z));
}

// The largest shift, up to a few per cent, that the bound above settles.
double settled_shift(const QuasiGaussian& law, double epsilon, double limit) {
  double shift = 1;
  while (shift > 1e-3 && small_shift_bound(law, epsilon, shift) > limit) shift *= 0.97;
  return shift > 1e-3 ? shift : 0;
}

// Cells [i/n, (i+1)/n] of the shifts, n a power of two, halved until each is proved.
class Cover {
 public:
  Cover(const QuasiGaussian& law, double epsilon, double limit)
      : law_(law), epsilon_(epsilon), limit_(limit), tolerance_(2e-5 * limit) {}

  QuasiCover run() {
    int level = std::max(0, static_cast<int>(std::ceil(std::log2(1 / law_.scale))));
    double bound = limit_ / 2;
    const double count = std::ldexp(1.0, level);
    std::vector<std::int64_t> cells;
    for (auto i = static_cast<std::int64_t>(settled_shift(law_, epsilon_, bound) * count);
         i < static_cast<std::int64_t>(count); ++i) {
      cells.push_back(i);
    }
    for (int depth = 0; !cells.empty(); ++depth, ++level) {
      if (depth == kMostLevels) return {};
      if (const double shift = halve(cells, level, bound); shift > 0) return {false, 1, shift};
      if (evaluations_left_ < 0) return {};
    }
    return {true, bound, 0};
  }

 private:
  // Drops the cells that are proved at this level, and splits the others. Returns a shift at which
  // the limit is exceeded, or 0.
  double halve(std::vector<std::int64_t>& cells, int level, double& bound) {
    // At least the true h/2s, for every scale that counts.
    const double angle = std::ldexp(0.5, -level) / law_.scale * (1 + 0x1p-48);
    const double inflation = (1 + 0x1p-48) / std::cos(angle);
    const double epsilon =
        epsilon_ + std::log(std::cos(angle)) - 0x1p-49 * (std::fabs(epsilon_) + 1);
    std::vector<std::int64_t> open;
    std::int64_t last = -1;
    double last_delta = 0, worst = 0, worst_shift = 0;
    const auto delta = [&](std::int64_t i) {
      if (i == last) return last_delta;
      --evaluations_left_;
      const double shift = std::ldexp(static_cast<double>(i), -level);
      last = i;
      last_delta = quasi_stick(law_, epsilon, shift, tolerance_).upper;
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
    if (worst > limit_ && quasi_stick(law_, epsilon_, worst_shift, tolerance_).lower > limit_) {
      return worst_shift;
    }
    return 0;
  }

  const QuasiGaussian law_;
  double epsilon_, limit_, tolerance_;
  long evaluations_left_ = kMostEvaluations;
};

}  // namespace

QuasiCover cover_quasi_shifts(const QuasiGaussian& law, double epsilon, double limit) {
  const QuasiStick full = quasi_stick(law, epsilon, 1, 1e-7 * limit);
  if (full.lower > limit) return {false, 1, 1};
  if (full.upper <= limit && proved_flat(law, epsilon)) return {true, full.upper, 0};
  return Cover(law, epsilon, limit).run();
}

QuasiPeak look_for_quasi_peak(const QuasiGaussian& law, double epsilon, double tolerance) {
  const auto at = [&](double shift) {
    return QuasiPeak{shift, quasi_stick(law, epsilon, shift, tolerance).lower};
  };
  if (proved_flat(law, epsilon)) return at(1);
  // Closely over the last deviations, where the worst shift of small scales is.
  constexpr int kClose = 32, kFar = 12;
  const double from = settled_shift(law, epsilon, tolerance), step = 0.5 * law.scale;
  std::vector<QuasiPeak> grid;
  for (int i = 0; i < kClose && 1 - i * step > from; ++i) grid.push_back(at(1 - i * step));
  const double far = grid.back().shift - from;
  for (int i = 1; i <= kFar && far > step; ++i) {
    grid.push_back(at(from + far * (kFar - i) / kFar));
  }
  std::reverse(grid.begin(), grid.end());
  const auto less = [](const QuasiPeak& a, const QuasiPeak& b) { return a.delta < b.delta; };
  const auto top = std::max_element(grid.begin(), grid.end(), less);
  const QuasiPeak on_grid = *top;
  QuasiPeak best = on_grid;
  // Narrow in on it by thirds of the cells around it.
  double low = top == grid.begin() ? top->shift : (top - 1)->shift;
  double high = top + 1 == grid.end() ? top->shift : (top + 1)->shift;
  for (double gap = high - low; high > low && gap > 1e-3 * law.scale; gap = high - low) {
    const QuasiPeak a = at(low + 0.382 * gap), b = at(high - 0.382 * gap);
    best = std::max({best, a, b}, less);
    (a.delta < b.delta ? low : high) = a.delta < b.delta ? a.shift : b.shift;
  }
  return best;
}

}  // namespace dpmix
