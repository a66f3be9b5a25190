#include "core/cube/shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "unit/cube/cubes.hpp"

namespace dpmix {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// ResidualPlanner's closed form: each residual measured by itself, at the least sum of variances.
double planner_optimum(const CubeWorkload& workload) {
  std::vector<double> spread(workload.residuals());
  for (std::size_t i = 0; i < workload.sets(); ++i) {
    for (const CubeWorkload::Part& part : workload.parts(i)) {
      spread[static_cast<std::size_t>(part.residual)] +=
          part.spread / static_cast<double>(workload.sets());
    }
  }
  double sum = 0;
  for (std::size_t a = 0; a < spread.size(); ++a) {
    double price = 1;
    for (const int key : keys_of(workload.residual(static_cast<int>(a)))) {
      price *= 1 - 1.0 / workload.size(key);
    }
    sum += std::sqrt(spread[a] * price);
  }
  return sum;  // the root of the mean variance
}

TEST(CubeShares, AreCloseToTheBestGaussianMechanism) {
  const struct {
    const char* name;
    std::vector<int> sizes;
    std::vector<KeySet> sets;
    double optimum;  // of the paper's own planner, to two decimals
  } workloads[] = {
      {"cube of 3", {4, 2, 2}, sets_up_to(3, 3), 0},
      {"cube of 4", {4, 2, 5, 2}, sets_up_to(4, 4), 2.12},
      {"rollup of days", {3, 12, 30}, rollup(3), 0},
      {"rollup of tracts", {50, 60, 20}, rollup(3), 0},
      {"pairs of 8", {4, 2, 5, 2, 10, 7, 3, 6}, sets_up_to(8, 2), 3.89},
      {"pairs of 14", census_sizes(), sets_up_to(14, 2), 0},
      {"two and all", {4, 5}, {0, 1, 2}, 0},
  };
  for (const auto& asked : workloads) {
    const CubeWorkload workload(asked.sizes, asked.sets);
    const CubeShares shares = cube_shares(workload);
    EXPECT_NEAR(std::accumulate(shares.share.begin(), shares.share.end(), 0.0), 1, 1e-12);
    for (const double share : shares.share) EXPECT_GT(share, 0);
    const double root = std::sqrt(mean(workload.variances(workload.precisions(shares.share))));
    const double optimum = planner_optimum(workload);
    if (asked.optimum > 0) {
      EXPECT_NEAR(optimum, asked.optimum, .006) << asked.name;
    }
    EXPECT_GE(root, optimum * (1 - 1e-9)) << asked.name;
    EXPECT_LE(root, optimum * 1.06) << asked.name;
  }
}

// What the gap says: no shares that were tried are better by more.
TEST(CubeShares, NoOthersAreBetter) {
  std::mt19937_64 random(31);
  std::exponential_distribution<double> draw;
  for (int trial = 0; trial < 50; ++trial) {
    const CubeWorkload workload = random_workload(random, 4);
    const CubeShares shares = cube_shares(workload);
    const double found = mean(workload.variances(workload.precisions(shares.share)));
    for (int other = 0; other < 50; ++other) {
      std::vector<double> share;
      for (const double known : shares.share) share.push_back(known * (.5 + draw(random)));
      const double sum = std::accumulate(share.begin(), share.end(), 0.0);
      for (double& each : share) each /= sum;
      const double there = mean(workload.variances(workload.precisions(share)));
      EXPECT_GE(there, found * (1 - std::max(shares.gap, 0.0) - 2e-4)) << trial;
    }
  }
}

}  // namespace
}  // namespace dpmix
