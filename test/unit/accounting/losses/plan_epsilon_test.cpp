#include "core/accounting/losses/plan_epsilon.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/accounting/gdp_profile.hpp"
#include "core/noise/calibration.hpp"
#include "core/noise/gaussian/gdp.hpp"

namespace dpmix::test {
namespace {

PlanPart part(Family family, double epsilon, double delta, std::int64_t times) {
  return {calibrate_on_lattice(family, epsilon, delta, 0x1p20, std::nullopt).law, epsilon, delta,
          times};
}

// The delta of Gaussian noise of that mu, from Balle and Wang's formula.
double delta_of_gaussian(double mu, double epsilon) {
  const auto below = [](double x) { return std::erfc(-x / std::sqrt(2.)) / 2; };
  return below(mu / 2 - epsilon / mu) - std::exp(epsilon) * below(-mu / 2 - epsilon / mu);
}

TEST(PlanEpsilon, OneReleaseIsWhatItWasCalibratedFor) {
  for (const Family family :
       {Family::laplace, Family::staircase, Family::gaussian, Family::truncated_laplace}) {
    const double delta = is_pure(family) ? 0 : 1e-6;
    const PlanPart one[] = {part(family, .5, delta, 1)};
    const double epsilon = plan_epsilon(one, 1e-6);
    EXPECT_LE(epsilon, .5 * (1 + 1e-12)) << name(family);
    // A pure release spends the delta that it is given.
    EXPECT_GE(epsilon, .5 * (is_pure(family) ? .99 : .999)) << name(family);
  }
}

TEST(PlanEpsilon, GaussianNoiseAddsUpSquares) {
  const PlanPart plan[] = {part(Family::gaussian, .1, 1e-7, 40),
                           part(Family::gaussian, .3, 1e-7, 3)};
  double squares = 0;
  for (const PlanPart& one : plan) {
    const double mu = one.law->sensitivity / one.law->scale;
    squares += static_cast<double>(one.times) * mu * mu;
  }
  const double epsilon = plan_epsilon(plan, 1e-6);
  EXPECT_LE(delta_of_gaussian(std::sqrt(squares), epsilon), 1e-6);
  EXPECT_GE(delta_of_gaussian(std::sqrt(squares), epsilon * .995), 1e-6);
}

// (epsilon, delta) of k-fold randomised response: Kairouz, Oh, Viswanath 2015, Theorem 3.3.
TEST(PlanEpsilon, AnyReleaseComposesAsRandomisedResponse) {
  constexpr int k = 20;
  constexpr double epsilon = .2, total = 1;
  double delta = 0, binomial = 1;
  for (int i = 0; i <= k; ++i) {
    const double gap = (k - 2 * i) * epsilon;
    if (gap > total) {
      delta += binomial * (std::exp((k - i) * epsilon) - std::exp(total + i * epsilon));
    }
    binomial = binomial * (k - i) / (i + 1);
  }
  delta /= std::pow(1 + std::exp(epsilon), k);
  const PlanPart plan[] = {{std::nullopt, epsilon, 0, k}};
  const double found = plan_epsilon(plan, delta);
  EXPECT_GE(found, total * (1 - 1e-9));
  EXPECT_LE(found, total * 1.005);
}

TEST(PlanEpsilon, NeverAboveTheSums) {
  const PlanPart plan[] = {{std::nullopt, 100, 0, 1}, part(Family::laplace, 1, 0, 2)};
  EXPECT_LE(plan_epsilon(plan, 1e-9), 102 * (1 + 1e-12));
  const PlanPart wide[] = {{std::nullopt, 1e6, .25, 2}};
  EXPECT_TRUE(std::isinf(plan_epsilon(wide, .1)));
  EXPECT_TRUE(std::isfinite(plan_epsilon(wide, .5)));
}

TEST(PlanEpsilon, GrowsWithThePlanAndFallsWithDelta) {
  double last = 0;
  for (const std::int64_t times : {1, 10, 100, 1000, 100000}) {
    const PlanPart plan[] = {part(Family::laplace, .05, 0, times), {std::nullopt, .1, 1e-9, 5}};
    const double epsilon = plan_epsilon(plan, 1e-6);
    EXPECT_GT(epsilon, last);
    EXPECT_GE(epsilon, plan_epsilon(plan, 1e-4));
    last = epsilon;
  }
}

}  // namespace
}  // namespace dpmix::test
