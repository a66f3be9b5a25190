// Totals of plans beside those of an independent accountant (bench/accountant.py): never below what
// that proves, and within .2% of it, in delta and in epsilon.
#include <string>

#include <gtest/gtest.h>

#include "unit/accounting/accountant_plans.hpp"

namespace dpmix::test {
namespace {

class Accountant : public testing::TestWithParam<int> {};

TEST_P(Accountant, AgreesWithinTwoInAThousand) {
  const LossComposition plan = composed(kPlans[GetParam()]);
  for (const PlanTotal& total : kPlanTotals) {
    if (total.plan != GetParam()) continue;
    const std::string where = std::to_string(total.epsilon) + " " + std::to_string(total.below);
    const double delta = plan.delta(total.epsilon);
    EXPECT_GE(delta, total.below) << where;
    EXPECT_LE(delta, total.above * 1.002) << where;
    // The delta of the full shift alone lies below that of the envelope.
    EXPECT_GE(delta, total.full_shift) << where;
    const double epsilon = plan.epsilon(total.below);
    EXPECT_GE(epsilon, total.epsilon * (1 - 1e-12)) << where;
    EXPECT_LE(epsilon, total.epsilon * 1.002) << where;
  }
}

// Gaussian and Laplace plans, and one mixture, alone and four times; bench/losses goes through all.
INSTANTIATE_TEST_SUITE_P(Plans, Accountant,
                         testing::Values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 23, 24));

}  // namespace
}  // namespace dpmix::test
