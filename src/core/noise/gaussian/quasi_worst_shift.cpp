#include "core/noise/gaussian/quasi_worst_shift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/noise/gaussian/quasi_shift.hpp"

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

}  // namespace

ShiftCover cover_quasi_shifts(const QuasiGaussian& law, double epsilon, double limit) {
  const HockeyStick full = quasi_stick(law, epsilon, 1, 1e-7 * limit);
  if (full.lower > limit) return {false, 1, 1};
  if (full.upper <= limit && proved_flat(law, epsilon)) return {true, full.upper, 0};
  const int level = std::max(0, static_cast<int>(std::ceil(std::log2(1 / law.scale))));
  const CellSearch search{.scale = law.scale * (1 - 0x1p-48),  // at most any scale that counts
                          .epsilon = epsilon,
                          .limit = limit,
                          .from = settled_shift(law, epsilon, limit / 2),
                          .first_level = level,
                          .last_level = level + kMostLevels - 1,
                          .most_evaluations = kMostEvaluations};
  const auto stick = [&](double relaxed, double shift) {
    return quasi_stick(law, relaxed, shift, cover_tolerance(limit));
  };
  return CellCover(search, stick).run();
}

ShiftPeak look_for_quasi_peak(const QuasiGaussian& law, double epsilon, double tolerance) {
  const auto at = [&](double shift) {
    return ShiftPeak{shift, quasi_stick(law, epsilon, shift, tolerance).lower};
  };
  if (proved_flat(law, epsilon)) return at(1);
  // Closely over the last deviations, where the worst shift of small scales is.
  constexpr int kClose = 32, kFar = 12;
  const double from = settled_shift(law, epsilon, tolerance), step = 0.5 * law.scale;
  std::vector<ShiftPeak> grid;
  for (int i = 0; i < kClose && 1 - i * step > from; ++i) grid.push_back(at(1 - i * step));
  const double far = grid.back().shift - from;
  for (int i = 1; i <= kFar && far > step; ++i) {
    grid.push_back(at(from + far * (kFar - i) / kFar));
  }
  std::reverse(grid.begin(), grid.end());
  const auto less = [](const ShiftPeak& a, const ShiftPeak& b) { return a.delta < b.delta; };
  const auto top = std::max_element(grid.begin(), grid.end(), less);
  ShiftPeak best = *top;
  // Narrow in on it by thirds of the cells around it.
  double low = top == grid.begin() ? top->shift : (top - 1)->shift;
  double high = top + 1 == grid.end() ? top->shift : (top + 1)->shift;
  for (double gap = high - low; high > low && gap > 1e-3 * law.scale; gap = high - low) {
    const ShiftPeak a = at(low + 0.382 * gap), b = at(high - 0.382 * gap);
    best = std::max({best, a, b}, less);
    (a.delta < b.delta ? low : high) = a.delta < b.delta ? a.shift : b.shift;
  }
  return best;
}

}  // namespace dpmix
