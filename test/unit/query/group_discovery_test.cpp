#include "core/query/group_discovery.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/noise/partition_selection.hpp"
#include "core/report/charge_account.hpp"
#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_rational;

TEST(GroupDiscovery, SharesAddUpToNoMore) {
  for (const double epsilon : {1e-4, .1, 1., 20., 1e6}) {
    for (const double delta : {1e-12, 1e-6, .3}) {
      for (const int statistics : {1, 2, 7}) {
        for (const int coins : {1, 2, 3, 1000}) {
          for (const bool pure : {false, true}) {
            const auto [search, rest_epsilon, rest_delta] =
                share_with_search(epsilon, delta, statistics, coins, pure);
            EXPECT_LE(cpp_rational(search.epsilon) + cpp_rational(rest_epsilon), epsilon);
            EXPECT_LE(cpp_rational(search.delta) + cpp_rational(rest_delta), delta);
            EXPECT_LE(cpp_rational(search.each_epsilon) * coins, cpp_rational(search.epsilon));
            EXPECT_LE(cpp_rational(search.each_delta) * coins, cpp_rational(search.delta));
            EXPECT_NEAR(search.epsilon + rest_epsilon, epsilon, 1e-14 * epsilon);
            EXPECT_NEAR(search.epsilon * (statistics + 1), epsilon, 1e-14 * epsilon);
            EXPECT_EQ(rest_delta == 0, pure);
          }
        }
      }
    }
  }
}

TEST(GroupDiscovery, AUnitThatMovesChangesTwiceAsManyGroups) {
  EXPECT_EQ(changed_coins(Adjacency::add_remove, 3), 3);
  EXPECT_EQ(changed_coins(Adjacency::replace, 3), 6);
}

TEST(GroupDiscovery, RefusesWhatCannotFindGroups) {
  EXPECT_THROW(share_with_search(1, 0, 1, 1, false), Error);
  EXPECT_THROW(share_with_search(1e-3, 1e-6, 1, 1'000'000, false), Error);
  EXPECT_THROW(share_with_search(1, 1e-299, 1, 100, false), Error);
}

struct Case {
  std::optional<Family> mechanism;
  double epsilon, delta;
  int coins;
};
const std::vector<Case> kCases = {{std::nullopt, 1, 1e-6, 1},       {std::nullopt, .1, 1e-8, 4},
                                  {Family::gaussian, 2, 1e-7, 10},  {Family::laplace, 1, 1e-6, 2},
                                  {Family::staircase, .5, 1e-6, 1}, {Family::optimal, 1, 1e-6, 3}};

QueryRequest request_of(const Case& c) {
  return {c.epsilon, c.delta, c.mechanism, c.coins};
}
const std::vector<StatisticShift> kShifts = {
    statistic_shift(kCountLattice, Adjacency::add_remove, true),
    statistic_shift(anchored_lattice(-3, 10, true), Adjacency::add_remove, true)};

TEST(GroupDiscovery, CostsTheSumOfItsParts) {
  for (const Accountant accountant : {Accountant::basic, Accountant::renyi, Accountant::gdp}) {
    const Filter filter = filter_of(accountant);
    for (const Case& c : kCases) {
      const QueryPlan plan = planned(request_of(c), kShifts, accountant, false).plan;
      EXPECT_EQ(plan.epsilon, c.epsilon);
      EXPECT_EQ(plan.delta, c.delta);
      EXPECT_EQ(plan.search.coins, c.coins);
      EXPECT_LE(cpp_rational(plan.search.delta), cpp_rational(plan.delta));
      EXPECT_NO_THROW(PartitionSelection(plan.search.each_epsilon, plan.search.each_delta));
      // The statistics alone, planned for what is left.
      const DiscoveryShares shares = share_with_search(Decimal::printed(c.epsilon).lower_double(),
                                                       Decimal::printed(plan.delta).lower_double(),
                                                       2, c.coins, is_pure(plan.family));
      EXPECT_EQ(shares.search.each_epsilon, plan.search.each_epsilon);
      EXPECT_EQ(shares.search.each_delta, plan.search.each_delta);
      if (accountant == Accountant::basic) {
        EXPECT_FALSE(plan.has_own);
        continue;
      }
      const QueryPlan alone =
          planned({shares.epsilon, shares.delta, plan.family}, kShifts, accountant, false).plan;
      const Cost coin =
          cost_of_guarantee(filter.accounting(), plan.search.each_epsilon, plan.search.each_delta);
      EXPECT_GE(plan.own.amount, coin.amount * c.coins);
      EXPECT_LE(plan.own.amount, (coin.amount * c.coins + alone.own.amount) * (1 + 1e-9));
      EXPECT_GE(plan.own.added_delta, plan.search.delta);
      EXPECT_LE(plan.own.added_delta, plan.delta * (1 + 1e-12));
      // Never dearer than the guarantee as a whole.
      const Spending whole = filter.charge_of(plan.epsilon, plan.delta, std::nullopt);
      EXPECT_LE(filter.price(charge_of(plan, filter)), filter.price(whole));
      const Spending priced = price_query(request_of(c), filter, kShifts);
      EXPECT_EQ(charge_of(plan, filter).amount, priced.amount);
      EXPECT_EQ(charge_of(plan, filter).delta, priced.delta);
    }
  }
}

TEST(GroupDiscovery, TheRecordIsPricedAgain) {
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp}) {
    for (const Case& c : kCases) {
      const QueryPlan plan = planned(request_of(c), kShifts, accountant, false).plan;
      ChargeFacts facts{.mechanism = std::string(name(plan.family)),
                        .accounting = filter_of(accountant).accounting(),
                        .adjacency = Adjacency::add_remove,
                        .charge = charge_of(plan, filter_of(accountant)),
                        .before = {},
                        .charges_before = 0,
                        .budgets = {{Decimal::printed(4), Decimal::printed(1e-6), ""}},
                        .in_force = 0,
                        .noise = {},
                        .coins = c.coins};
      for (const StatisticShift& shift : kShifts) facts.noise.push_back({shift.each, shift.groups});
      const RecordCheck check = account_of(facts).cost;
      EXPECT_TRUE(check == RecordCheck::same || check == RecordCheck::rounding) << facts.mechanism;
      facts.coins += 1;
      EXPECT_EQ(account_of(facts).cost, RecordCheck::differs) << facts.mechanism;
    }
  }
}

}  // namespace
}  // namespace dpmix
