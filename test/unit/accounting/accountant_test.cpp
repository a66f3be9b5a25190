// Totals of plans beside those of an independent accountant (bench/accountant.py): never below what
// that proves, and within .2% of it.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "unit/accounting/accountant_plans.hpp"

namespace dpmix::test {
namespace {

class Accountant : public testing::TestWithParam<int> {};

TEST_P(Accountant, AgreesWithinTwoInAThousand) {
  const LossComposition plan = composed(kPlans[GetParam()]);
  for (const PlanTotal& total : kPlanTotals) {
    if (total.plan != GetParam()) continue;
    const double delta = plan.delta(total.epsilon);
    const std::string where = std::to_string(total.epsilon) + " " + std::to_string(total.below);
    EXPECT_GE(delta, total.below) << where;
    EXPECT_GE(delta, total.full_shift) << where;
    EXPECT_LE(delta, total.above * 1.002) << where;
    const double epsilon = plan.epsilon(total.above);
    EXPECT_LE(epsilon, total.epsilon * 1.002 + 1e-9) << where;
    EXPECT_GE(plan.epsilon(total.below), total.epsilon * (1 - 1e-9)) << where;
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, Accountant, testing::Range(0, static_cast<int>(std::size(kPlans))));

}  // namespace
}  // namespace dpmix::test
