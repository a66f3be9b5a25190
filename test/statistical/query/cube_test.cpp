// Noise drawn for grouping sets, and the answers made of it: their variance is the declared one,
// and intervals hold the exact statistic as often as they say.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "core/cube/least_squares.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/cube_noise.hpp"
#include "core/random/stream.hpp"

namespace dpmix {
namespace {

// 6.9 deviations of the estimates below: all expectations together fail once in 10^9 runs at most.
constexpr int kDraws = 240'000;
constexpr double kLevel = .9;

struct Seen {  // of one cell
  double sum = 0, squares = 0, whole_squares = 0;
  int covered = 0;
};

void expect_declared(const CubeWorkload& workload, const NoiseLaw& law, const CubeNoise& noise) {
  double cells = 0;
  std::vector<NoiseSampler> samplers;
  for (std::size_t i = 0; i < workload.sets(); ++i) {
    samplers.emplace_back(stretched_law(law, noise.stretch[i]));
    cells += static_cast<double>(workload.cells(workload.set(i)));
  }
  const double least = std::ranges::min(noise.stretch);
  RandomStream random({77});
  std::vector<Seen> seen(workload.sets());
  for (int draw = 0; draw < kDraws; ++draw) {
    CubeLeastSquares fit(workload, noise.precision);
    for (std::size_t i = 0; i < workload.sets(); ++i) {
      std::vector<double> table;  // of no rows
      for (std::size_t c = workload.cells(workload.set(i)); c > 0; --c) {
        table.push_back(static_cast<double>(samplers[i](random)));
      }
      fit.add(i, table);
    }
    for (std::size_t i = 0; i < workload.sets(); ++i) {
      const double answer = fit.answer(i).back();
      const auto whole = static_cast<double>(fit.whole_answer(i).back());
      seen[i].sum += answer;
      seen[i].squares += answer * answer;
      seen[i].whole_squares += whole * whole;
      const double reach = std::floor(
          cube_reach(law, {noise.variance[i], noise.squares[i], least, cells}, kLevel, 1));
      seen[i].covered += std::abs(std::nearbyint(answer)) <= reach;
    }
  }
  for (std::size_t i = 0; i < workload.sets(); ++i) {
    const CubeReach of{noise.variance[i], noise.squares[i], least, cells};
    const double declared = std::sqrt(of.variance * law.scale * law.scale + of.squares / 12);
    const int keys = std::popcount(workload.set(i));
    const double with_rounding = cube_deviation(law, of, keys);
    const double variance = seen[i].squares / kDraws / (declared * declared);
    EXPECT_NEAR(seen[i].sum / kDraws / declared, 0, 7 / std::sqrt(double{kDraws})) << i;
    EXPECT_LE(variance, 1.02) << i;
    if (law.scale >= 1) {  // what is narrower is rounded to less
      EXPECT_GE(variance, .98) << i;
    }
    if (law.scale >= 2) {
      EXPECT_NEAR(seen[i].whole_squares / kDraws / (with_rounding * with_rounding), 1, .025) << i;
    }
    const double coverage = static_cast<double>(seen[i].covered) / kDraws;
    EXPECT_GE(coverage, kLevel - 7 * std::sqrt(kLevel * (1 - kLevel) / kDraws)) << i;
    if (law.scale > 10) {  // no wider than they need to be, but for rounding
      EXPECT_LE(coverage, kLevel + .02) << i;
    }
  }
}

TEST(Cube, VariancesAndIntervalsAreTheDeclaredOnes) {
  const std::vector<int> sizes = {3, 2, 4};
  const std::vector<KeySet> cube = {0, 1, 2, 3, 7}, pairs = {3, 5, 6};
  for (const double scale : {.4, 1., 2., 30.}) {
    const NoiseLaw law{.family = Family::gaussian, .sensitivity = 1, .scale = scale};
    for (const std::vector<KeySet>& sets : {cube, pairs}) {
      const CubeWorkload workload(sizes, sets);
      expect_declared(workload, law, cube_noise(workload));
    }
  }
}

// Tables of three releases, two of them of the same sets, each under a law of its own: what derived
// answers are made of.
TEST(Cube, TablesOfSeveralReleasesAreAsDeclared) {
  const std::vector<int> sizes = {3, 2, 4};
  const std::vector<KeySet> sets = {0, 1, 3, 0, 1, 3, 4, 6};
  const std::vector<double> stretch = {1.5, 1.7, 2.1, .9, 1.02, 1.26, 2.8, 3.5};
  const CubeWorkload workload(sizes, sets);
  for (const double scale : {.4, 1., 2., 30.}) {
    const NoiseLaw law{.family = Family::gaussian, .sensitivity = 1, .scale = scale};
    expect_declared(workload, law, cube_noise(workload, stretch));
  }
}

}  // namespace
}  // namespace dpmix
