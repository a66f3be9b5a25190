// Would falsify docs/proofs/regression.md: on the wage table, intervals against the noise hold the
// coefficients of the rows as often as they say. bench/regression/accuracy prints the shares of
// many releases; here a right release fails with probability at most 1e-9.
#include <gtest/gtest.h>

#include <cstdio>

#include "core/base/normal_reach.hpp"
#include "core/regression/linear_fit.hpp"
#include "tables/wage_regression.hpp"

namespace dpmix::test {
namespace {

TEST(RegressionCoverage, NoiseIntervalsOfWages) {
  const WageRegression wages = wage_regression();
  const MomentTotals totals = totals_of(wages.design, 1, wages.rows);
  const auto plan = [&](double epsilon) {
    return plan_regression({.norm2 = wages.design.norm2(), .epsilon = epsilon, .delta = 1e-6},
                           wages.design.frame(1));
  };
  RandomStream random({9});
  const auto released = [&](const RegressionPlan& of) {
    return fit_linear(noisy_gram(random, &totals.classes[0], wages.design.columns() + 1, of), of);
  };
  const std::vector<Coefficient> exact = coefficients_of(released(plan(1e7)), wages.design);
  const double reach = normal_reach(.95);
  for (const double epsilon : {.5, 1., 2.}) {
    constexpr int runs = 1000;
    int held = 0;
    for (int run = 0; run < runs; ++run) {
      const LinearFit fit = released(plan(epsilon));
      ASSERT_TRUE(fit.has_intervals());
      const std::vector<Coefficient> noisy = coefficients_of(fit, wages.design);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        held += std::fabs(noisy[i].centre - exact[i].estimate) <= reach * noisy[i].noise_stddev;
      }
    }
    const double share = held / (runs * static_cast<double>(exact.size()));
    std::printf("epsilon %g: %.4f of the intervals hold\n", epsilon, share);
    // Of the same run coefficients depend on each other: as if there were 1000 intervals alone, six
    // deviations of .0069 around .95.
    EXPECT_GT(share, .95 - 6.2 * .0069);
    EXPECT_LT(share, .95 + 6.2 * .0069);
  }
}

}  // namespace
}  // namespace dpmix::test
