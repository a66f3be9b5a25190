#include "core/noise/gaussian/mixture_worst_shift.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <boost/math/tools/minima.hpp>

#include "core/base/next_double.hpp"
#include "core/base/poll.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/gaussian/mixture_full_shift.hpp"

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
  return gdp_delta(epsilon, next_up(shift / law.scale()));
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

}  // namespace

ShiftCover cover_all_shifts(const UnitMixture& law, double epsilon, double limit) {
  const double gaussian = gaussian_bound(law, epsilon, 1);
  if (gaussian <= limit) return {true, gaussian, 0};
  const HockeyStick full = hockey_stick_full_shift(law, epsilon);
  if (full.lower > limit) return {false, 1, 1};
  if (full.upper <= limit && full_shift_is_worst(law, epsilon)) return {true, full.upper, 0};
  const int level = std::max(0, static_cast<int>(std::ceil(std::log2(2 / law.scale()))));
  const CellSearch search{.scale = law.scale(),
                          .epsilon = epsilon,
                          .limit = limit,
                          .from = easy_shift(law, epsilon, limit / 2),
                          .first_level = level,
                          .last_level = std::min(level + kMostLevels - 1, finest_level(law)),
                          .most_evaluations = most_evaluations(law)};
  const auto stick = [&](double relaxed, double shift) {
    return at_shift(law, relaxed, shift, cover_tolerance(limit));
  };
  return CellCover(search, stick).run();
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
