#include "core/accounting/many_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/accounting/block_sums.hpp"
#include "core/accounting/filter.hpp"
#include "core/accounting/gdp_profile.hpp"
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

// The figures of docs/guide/populations.md: ten years of (1, 1e-6), and what is in no block.
TEST(ManyBlocks, BudgetsOfAPersonAddUp) {
  const BlockBudget budget{1, 1e-6, {Accountant::gdp, 0}};
  const ManyBlocks sum = sum_of_blocks(budget, 11);
  EXPECT_DOUBLE_EQ(sum.epsilon, 11);
  EXPECT_DOUBLE_EQ(sum.delta, 1.1e-5);
  EXPECT_NEAR(epsilon_of_many_blocks(budget, 2, 1), 1.40, .01);
  EXPECT_NEAR(epsilon_of_many_blocks(budget, 6, 1), 2.56, .01);
  EXPECT_NEAR(epsilon_of_many_blocks(budget, 11, 1), 3.58, .01);
}

// Charges at random, each to some blocks, until little fits: what was charged to any of a person's
// blocks comes to no more than as many budgets, as the accountant adds up.
TEST(ManyBlocks, NoScheduleOfChargesExceedsTheBudgetsOfAPerson) {
  std::mt19937_64 random(7);
  for (const Accountant accountant : {Accountant::basic, Accountant::gdp, Accountant::renyi}) {
    const Filter filter(accountant, Decimal::printed(1), Decimal::printed(1e-6),
                        accountant == Accountant::renyi ? choose_order(1, 1e-6) : 0);
    const BlockFilter block_filter(filter);
    BlockSums sums;
    struct Charged {
      std::vector<BlockRange> blocks;
      double mu_squared;
      Spending cost;
    };
    std::vector<Charged> charged;
    for (int n = 0; n < 1500; ++n) {
      const double epsilon = .02 * static_cast<double>(1 + random() % 12);
      const double mu = gdp_mu(epsilon, 1e-9);
      const Accounting& accounting = filter.accounting();
      const double amount =
          accounting.counts_mu_squared() ? mu * mu : accounting.order * mu * mu / 2;
      const Spending cost = filter.charge_of(epsilon, 1e-9, Cost{amount, 0});
      std::vector<BlockRange> blocks;
      if (random() % 2 == 0) blocks.push_back(kAlways);
      const auto first = static_cast<std::int64_t>(random() % 12);
      if (random() % 4 != 0 || blocks.empty()) {
        blocks.push_back({first, first + static_cast<std::int64_t>(random() % 4)});
      }
      std::vector<BlockCharge> charges;
      for (const BlockRange& range : blocks) charges.push_back({range, BlockSpending::up(cost)});
      if (!sums.admits(block_filter, charges)) continue;
      sums.add(charges);
      charged.push_back({blocks, mu * mu, cost});
    }
    EXPECT_GT(charged.size(), 15u);
    const BlockBudget budget{1, 1e-6, filter.accounting()};
    for (int person = 0; person < 60; ++person) {
      std::vector<std::int64_t> in = {kAlways.first};
      for (std::int64_t block = 0; block < 16; ++block) {
        if (random() % 3 == 0) in.push_back(block);
      }
      double mu_squared = 0;
      Decimal epsilon, delta;
      for (const Charged& one : charged) {
        const bool names = std::ranges::any_of(in, [&](std::int64_t block) {
          return std::ranges::any_of(one.blocks, [&](const BlockRange& range) {
            return range.first <= block && block <= range.last;
          });
        });
        if (!names) continue;
        mu_squared += one.mu_squared;
        epsilon = epsilon + one.cost.epsilon;
        delta = delta + one.cost.delta;
      }
      const int blocks = static_cast<int>(in.size());
      const ManyBlocks sum = sum_of_blocks(budget, blocks);
      if (accountant == Accountant::basic) {
        EXPECT_LE(epsilon.approximate(), sum.epsilon * (1 + 1e-12));
        EXPECT_LE(delta.approximate(), sum.delta * (1 + 1e-12));
      }
      const double bound = epsilon_of_many_blocks(budget, blocks, 1);
      EXPECT_LE(epsilon_of_gdp(mu_squared, 1e-6), bound * (1 + 1e-9));
      EXPECT_LE(bound, sum.epsilon);
    }
  }
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
