// Totals of plans beside those of an independent accountant (bench/accounting/accountant.py): never
// below what that proves, and within .2% of it, in delta and in epsilon.
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "unit/accounting/accountant_plans.hpp"

namespace dpmix::test {
namespace {

// Gaussians, Laplace noise, subsampled Gaussians, mixtures and mixed plans: all there are.
class Accountant : public testing::TestWithParam<int> {};

// Many draws, and slices of rare losses, take long: of those one delta here, all in bench/losses.
bool takes_long(const Plan& plan) {
  return plan.step < 0x1p-14 || plan.parts[0].times >= 1000;
}

TEST_P(Accountant, AgreesWithinTwoInAThousand) {
  const LossComposition plan = composed(kPlans[GetParam()]);
  const bool few = takes_long(kPlans[GetParam()]);
  int seen = 0;
  for (const PlanTotal& total : kPlanTotals) {
    if (total.plan != GetParam() || (few && seen++ != 1)) continue;
    const std::string where = std::to_string(total.epsilon) + " " + std::to_string(total.below);
    const double delta = plan.delta(total.epsilon);
    EXPECT_GE(delta, total.below) << where;
    EXPECT_LE(delta, total.above * 1.002) << where;
    // The delta of the full shift alone lies below that of the envelope.
    EXPECT_GE(delta, total.full_shift) << where;
    if (few) continue;
    const double epsilon = plan.epsilon(total.below);
    EXPECT_GE(epsilon, total.epsilon * (1 - 1e-12)) << where;
    EXPECT_LE(epsilon, total.epsilon * 1.002) << where;
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, Accountant, testing::Range(0, static_cast<int>(std::size(kPlans))));

}  // namespace
}  // namespace dpmix::test
