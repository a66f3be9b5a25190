#include "core/query/group_discovery.hpp"

#include <cmath>

#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/expm1.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/query/contribution.hpp"
#include "core/report/charge_account.hpp"
#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_rational;

TEST(GroupDiscovery, SharesAddUpToNoMore) {
  for (const double epsilon : {1e-4, .1, 1., 20., 1e6}) {
    for (const double delta : {1e-12, 1e-6, .3}) {
      for (const int statistics : {1, 2, 7}) {
        for (const int groups : {1, 2, 3, 1000}) {
          for (const bool pure : {false, true}) {
            const auto [search, rest_epsilon, rest_delta] =
                share_with_coins(epsilon, delta, statistics, groups, pure);
            EXPECT_LE(cpp_rational(search.epsilon) + cpp_rational(rest_epsilon), epsilon);
            EXPECT_LE(cpp_rational(search.delta) + cpp_rational(rest_delta), delta);
            EXPECT_LE(cpp_rational(search.each_epsilon) * groups, cpp_rational(search.epsilon));
            EXPECT_LE(cpp_rational(search.each_delta) * groups, cpp_rational(search.delta));
            EXPECT_NEAR(search.epsilon + rest_epsilon, epsilon, 1e-14 * epsilon);
            EXPECT_NEAR(search.epsilon * (statistics + 1), epsilon, 1e-14 * epsilon);
            EXPECT_EQ(rest_delta == 0, pure);
          }
          const auto [search, rest_epsilon, rest_delta] =
              share_with_threshold(epsilon, delta, groups);
          EXPECT_EQ(rest_epsilon, epsilon);
          EXPECT_LE(cpp_rational(search.delta) + cpp_rational(rest_delta), delta);
          EXPECT_LE(cpp_rational(search.each_delta) * groups, cpp_rational(search.delta));
        }
      }
    }
  }
}

TEST(GroupDiscovery, AUnitThatMovesChangesTwiceAsManyGroups) {
  EXPECT_EQ(changed_groups(Adjacency::add_remove, 3), 3);
  EXPECT_EQ(changed_groups(Adjacency::replace, 3), 6);
}

TEST(GroupDiscovery, RefusesWhatCannotFindGroups) {
  EXPECT_THROW(share_with_coins(1, 0, 1, 1, false), Error);
  EXPECT_THROW(share_with_coins(1e-3, 1e-6, 1, 1'000'000, false), Error);
  EXPECT_THROW(share_with_coins(1, 1e-299, 1, 100, false), Error);
  EXPECT_THROW(share_with_threshold(1, 0, 1), Error);
  EXPECT_THROW(share_with_threshold(1, 1e-299, 100), Error);
}

// The least: one less, and a unit alone comes back too often. In 50 digits.
TEST(GroupDiscovery, AThresholdIsTheLeastThatHidesOneUnit) {
  using Wide = boost::multiprecision::cpp_bin_float_50;
  const auto alone = [](double deviation, const Wide& threshold) -> Wide {
    return boost::math::erfc((threshold - Wide(1.5)) / (deviation * sqrt(Wide(2)))) / 2;
  };
  for (const double deviation : {1e-3, .3, 1., 4.23, 30., 1e4, 1e15}) {
    for (const double tail : {.25, .01, 1e-8, 5e-7, 1e-100, 1e-299}) {
      const double threshold = threshold_of(deviation, tail);
      EXPECT_LE(alone(deviation, Wide(threshold)), Wide(tail));
      if (deviation > 1e4) continue;  // whose threshold is rounded up by more than one
      EXPECT_GT(alone(deviation, Wide(threshold - 1)), Wide(tail)) << deviation << " " << tail;
    }
  }
}

// Of weighed units, in 50 digits: a unit alone in t groups is shown in none of them with 1 - delta
// at least, whatever t; and of a threshold that is .3% less this is false of some t.
TEST(GroupDiscovery, AThresholdOfWeightsHidesAUnitInAnyNumberOfGroups) {
  using Wide = boost::multiprecision::cpp_bin_float_50;
  const auto hides = [](double deviation, double threshold, double delta, int t, int bits) {
    const Wide weight = floor(Wide(std::ldexp(1., bits)) / sqrt(Wide(t)));
    const Wide whole = Wide(std::ldexp(1., bits));
    const Wide z = (Wide(threshold) * whole - weight - Wide(.5)) / (Wide(deviation) * whole);
    const Wide shown = boost::math::erfc(z / sqrt(Wide(2))) / 2;
    return -boost::math::expm1(Wide(t * boost::math::log1p(Wide(-shown)))) <= Wide(delta);
  };
  for (const double deviation : {.02, .3, 1., 4.23, 30., 1e6}) {
    for (const double delta : {.25, 1e-3, 5e-7, 1e-40, 1e-290}) {
      for (const auto& [keys, bits] : {std::pair(1, 20),
                                       {2, 20},
                                       {22, 20},
                                       {63, 10},
                                       {300, 12},
                                       {5000, 20},
                                       {1'000'000, 20}}) {
        const double threshold = weighed_threshold(deviation, delta, keys, bits);
        EXPECT_EQ(std::ldexp(threshold, bits), std::floor(std::ldexp(threshold, bits)));
        for (int t = 1; t <= keys; t += std::max(t / 20, 1)) {
          EXPECT_TRUE(hides(deviation, threshold, delta, t, bits)) << deviation << " " << t;
        }
        EXPECT_TRUE(hides(deviation, threshold, delta, keys, bits));
        const double less = std::min(.997 * threshold, threshold - std::ldexp(2., -bits));
        const bool less_hides =
            hides(deviation, less, delta, 1, bits) && hides(deviation, less, delta, keys, bits);
        EXPECT_FALSE(less_hides) << deviation << " " << delta << " " << keys;
      }
    }
  }
}

struct Case {
  std::optional<Family> mechanism;
  double epsilon, delta;
  int groups;
  int counted;  // the statistic that is the number of units
  int weight_bits = 0;
};
const std::vector<Case> kCases = {
    {std::nullopt, 1, 1e-6, 1, -1},          {std::nullopt, .1, 1e-8, 4, 0},
    {Family::gaussian, 2, 1e-7, 10, -1},     {Family::gaussian, 1, 1e-6, 50, 0},
    {Family::laplace, 1, 1e-6, 2, 0},        {Family::staircase, .5, 1e-6, 1, -1},
    {Family::optimal, 1, 1e-6, 3, -1},       {Family::optimal, 1, 1e-6, 3, 0},
    {Family::multi_gaussian, 1, 1e-6, 1, 0}, {Family::gaussian, 2, 1e-7, 10, -1, 20}};

const std::vector<StatisticShift> kShifts = {
    statistic_shift(kCountLattice, Adjacency::add_remove, true),
    statistic_shift(anchored_lattice(-3, 10, true), Adjacency::add_remove, true)};

UnitCount units_in(int groups, int counted) {
  return {groups, groups, counted,
          shift_of_units(Adjacency::add_remove, contribution_of(groups, groups), 1'000'000)};
}
QueryRequest request_of(const Case& c) {
  UnitCount units = units_in(c.groups, c.counted);
  units.weight_bits = c.weight_bits;
  units.weighed = shift_of_units(Adjacency::add_remove, {1, 1, 1}, 1'000'000);
  return {c.epsilon, c.delta, c.mechanism, units};
}

TEST(GroupDiscovery, TheFamilyDecidesOnTheSearch) {
  for (const Case& c : kCases) {
    const Planned made = planned(request_of(c), kShifts, Accountant::basic, false);
    const Family family = made.plan.family;
    const bool cut = is_step(family) && !is_pure(family) && c.counted >= 0;
    EXPECT_EQ(made.plan.search.kind, family == Family::gaussian ? SearchKind::threshold
                                     : cut                      ? SearchKind::cut_off
                                                                : SearchKind::coin);
    EXPECT_EQ(made.plan.search.groups, c.groups);
    EXPECT_EQ(made.noise.size(), kShifts.size());
  }
}

TEST(GroupDiscovery, CostsTheSumOfItsParts) {
  for (const Accountant accountant : {Accountant::basic, Accountant::renyi, Accountant::gdp}) {
    const Filter filter = filter_of(accountant);
    for (const Case& c : kCases) {
      const Planned made = planned(request_of(c), kShifts, accountant, false);
      const QueryPlan& plan = made.plan;
      const GroupSearch& search = plan.search;
      EXPECT_EQ(plan.epsilon, c.epsilon);
      EXPECT_EQ(plan.delta, c.delta);
      EXPECT_LE(cpp_rational(search.delta), cpp_rational(plan.delta));
      // Never dearer than the guarantee as a whole.
      const Spending whole = filter.charge_of(plan.epsilon, plan.delta, std::nullopt);
      EXPECT_LE(filter.price(charge_of(plan, filter)), filter.price(whole));
      const Spending priced = price_query(request_of(c), filter, kShifts);
      EXPECT_EQ(charge_of(plan, filter).amount, priced.amount);
      EXPECT_EQ(charge_of(plan, filter).delta, priced.delta);
      if (accountant == Accountant::basic) {
        EXPECT_FALSE(plan.has_own);
        continue;
      }
      const double epsilon = Decimal::printed(c.epsilon).lower_double();
      const double delta = Decimal::printed(plan.delta).lower_double();
      if (search.kind == SearchKind::coin) {
        // The statistics alone, planned for what is left.
        const DiscoveryShares shares =
            share_with_coins(epsilon, delta, 2, c.groups, is_pure(plan.family));
        EXPECT_EQ(shares.search.each_epsilon, search.each_epsilon);
        EXPECT_EQ(shares.search.each_delta, search.each_delta);
        const QueryPlan alone =
            planned({shares.epsilon, shares.delta, plan.family}, kShifts, accountant, false).plan;
        const Cost coin =
            cost_of_guarantee(filter.accounting(), search.each_epsilon, search.each_delta);
        EXPECT_GE(plan.own.amount, coin.amount * c.groups);
        EXPECT_LE(plan.own.amount, (coin.amount * c.groups + alone.own.amount) * (1 + 1e-9));
        EXPECT_GE(plan.own.added_delta, search.delta);
        EXPECT_LE(plan.own.added_delta, plan.delta * (1 + 1e-12));
      } else if (search.kind == SearchKind::threshold) {
        // (mu^2, d), mu of the statistics and the number of units together.
        const int norm = c.weight_bits > 0 ? 1 : c.groups;
        double squares = search.statistic >= 0 ? 0 : norm / std::pow(search.deviation, 2);
        EXPECT_EQ(search.weight_bits, c.weight_bits);
        EXPECT_LE(cpp_rational(search.delta) + cpp_rational(search.rest_delta),
                  cpp_rational(plan.delta));
        for (std::size_t i = 0; i < kShifts.size(); ++i) {
          squares += std::pow(kShifts[i].l2 / made.noise[i].law.scale, 2);
        }
        const Cost noise = cost_of_gaussian(filter.accounting(), std::sqrt(squares));
        EXPECT_NEAR(plan.own.amount, noise.amount, 1e-9 * noise.amount);
        EXPECT_EQ(plan.own.added_delta, search.delta);
        EXPECT_GE(search.delta, search.each_delta * c.groups);
      } else {  // all of it is the statistics'
        const QueryPlan alone =
            planned({c.epsilon, c.delta, plan.family}, kShifts, accountant, false).plan;
        EXPECT_EQ(plan.own.amount, alone.own.amount);
        EXPECT_EQ(plan.own.added_delta, alone.own.added_delta);
      }
    }
  }
}

TEST(GroupDiscovery, TheRecordIsPricedAgain) {
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp}) {
    for (const Case& c : kCases) {
      const QueryPlan plan = planned(request_of(c), kShifts, accountant, false).plan;
      if (plan.family == Family::multi_gaussian) continue;  // its law is not on record
      ChargeFacts facts{.mechanism = std::string(name(plan.family)),
                        .accounting = filter_of(accountant).accounting(),
                        .adjacency = Adjacency::add_remove,
                        .charge = charge_of(plan, filter_of(accountant)),
                        .before = {},
                        .charges_before = 0,
                        .budgets = {{Decimal::printed(4), Decimal::printed(1e-6), ""}},
                        .in_force = 0,
                        .noise = {},
                        .coins = plan.search.kind == SearchKind::coin ? c.groups : 0,
                        .threshold = plan.search.kind == SearchKind::threshold};
      for (const StatisticShift& shift : kShifts) facts.noise.push_back({shift.each, shift.groups});
      const RecordCheck check = account_of(facts).cost;
      EXPECT_TRUE(check == RecordCheck::same || check == RecordCheck::rounding) << facts.mechanism;
      facts.threshold = false;
      facts.coins += 1;
      EXPECT_EQ(account_of(facts).cost, RecordCheck::differs) << facts.mechanism;
    }
  }
}

// What docs/guide/query_keys.md says: from how many units on a group is kept half of the time.
TEST(GroupDiscovery, KeepsSmallGroups) {
  const auto count = [](Family family, int groups) {
    const QueryRequest request{1, 1e-6, family, units_in(groups, 0)};
    return planned(request, {request.units.shift}, Accountant::basic, false);
  };
  EXPECT_EQ(kept_from(count(Family::gaussian, 50).plan.search).half, 175);
  EXPECT_EQ(kept_from(share_with_coins(1, 1e-6, 1, 50, false).search).half, 1313);
  const Planned one = count(Family::truncated_laplace, 1);
  EXPECT_EQ(kept_from(one.plan.search).half, 15);
  EXPECT_EQ(kept_from(one.plan.search).all, 29);
  EXPECT_NEAR(lattice_moments(one.noise[0].law, 1).expected_abs, .85, .005);
  EXPECT_EQ(kept_from(share_with_coins(1, 1e-6, 1, 1, false).search).half, 27);
}

}  // namespace
}  // namespace dpmix
