#include "core/accounting/many_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/accounting/filter.hpp"
#include "core/base/error.hpp"
#include "core/noise/gaussian/gdp.hpp"

namespace dpmix {
namespace {

// The figures of docs/guide/blocks.md: thirty blocks of (1, 1e-6).
TEST(ManyBlocks, ThirtyDaysUnderGdp) {
  const BlockBudget budget{1, 1e-6, {Accountant::gdp, 0}};
  EXPECT_NEAR(epsilon_of_many_blocks(budget, 30, 1), 6.3, .05);
  EXPECT_NEAR(epsilon_of_many_blocks(budget, 30, 7), 20.7, .1);
  EXPECT_NEAR(epsilon_of_many_blocks(budget, 30, 30), 55.5, .1);
  EXPECT_THROW((void)epsilon_of_many_blocks(budget, 7, 8), Error);
}

// One block is promised its budget: Gaussian noise alone never takes all of delta.
TEST(ManyBlocks, OneBlockIsWithinItsBudget) {
  for (const Accountant accountant :
       {Accountant::basic, Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
    for (const double epsilon : {.1, 1., 4.}) {
      const BlockBudget budget{epsilon, 1e-6, {accountant, choose_order(epsilon, 1e-6)}};
      const double one = epsilon_of_many_blocks(budget, 1, 1);
      EXPECT_LE(one, epsilon * (1 + 1e-7));
      EXPECT_GT(one, .5 * epsilon);
      EXPECT_LT(one, epsilon_of_many_blocks(budget, 2, 1));
    }
  }
}

// j blocks read together in all k: sqrt(jk) times mu, by the exact curve.
TEST(ManyBlocks, IsTheCurveOfOneGaussian) {
  const BlockBudget budget{1, 1e-6, {Accountant::gdp, 0}};
  const double mu = gdp_mu(1, 5e-7) * std::sqrt(5. * 12);
  const double epsilon = epsilon_of_many_blocks(budget, 12, 5);
  EXPECT_NEAR(gdp_delta(epsilon, mu) / 1e-6, 1, 1e-4);
}

TEST(ManyBlocks, GroupPrivacyAddsUp) {
  const BlockBudget budget{.5, 1e-8, {Accountant::basic, 0}};
  const ManyBlocks one = group_of_blocks(budget, 1), three = group_of_blocks(budget, 3);
  EXPECT_DOUBLE_EQ(one.delta, 1e-8);
  EXPECT_DOUBLE_EQ(three.epsilon, 1.5);
  EXPECT_NEAR(three.delta, 1e-8 * (1 + std::exp(.5) + std::exp(1)), 1e-20);
}

}  // namespace
}  // namespace dpmix
