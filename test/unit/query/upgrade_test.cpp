#include "core/query/upgrade.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

double amount_of(const QueryPlan& plan, Accountant accountant) {
  return charge_of(plan, filter_of(accountant)).amount.approximate();
}

// Each request of a ladder pays what it lacks; the sum is the price of the last request alone.
TEST(Upgrade, FiveUpgradesCostWhatTheLastAloneWould) {
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp}) {
    for (const bool grouped : {false, true}) {
      const Accounting table = filter_of(accountant).accounting();
      RowRequest request{.1, 1e-6, Family::gaussian, Adjacency::replace, grouped};
      const std::vector<StatisticShift> shifts = request.shifts(kStatistics);
      std::vector<double> stored(shifts.size(), 0);
      double sum = 0, last = 0;
      for (const double epsilon : {.1, .15, .3, .31, .6, 1.}) {
        request.epsilon = epsilon;
        const Planned full = planned(request.query(), shifts, accountant, false);
        const auto upgrade = plan_upgrade(full.plan, table, shifts, full.noise, stored);
        ASSERT_TRUE(upgrade);
        EXPECT_LE(upgrade->plan.epsilon, epsilon);
        for (std::size_t i = 0; i < stored.size(); ++i) {
          ASSERT_GT(upgrade->deviation[i], 0);
          stored[i] += precision_of(upgrade->deviation[i]);
          EXPECT_NEAR(stored[i] * std::pow(full.noise[i].law.scale, 2), 1, 1e-12);
        }
        sum += amount_of(upgrade->plan, accountant);
        last = amount_of(full.plan, accountant);
      }
      EXPECT_NEAR(sum / last, 1, 1e-11);
    }
  }
}

// Also where no row moves all statistics at once; a part of them is priced by whichever bound is
// less.
TEST(Upgrade, JointPricesAddUpToo) {
  const Accounting table = filter_of(Accountant::gdp).accounting();
  RowRequest request{.1, 1e-6, Family::gaussian, Adjacency::add_remove, false};
  const std::vector<StatisticShift> shifts = request.shifts(kStatistics);
  constexpr JointPrice joint = {1.25};
  std::vector<double> stored(shifts.size(), 0);
  double sum = 0, last = 0;
  for (const double epsilon : {.1, .3, 1.}) {
    request.epsilon = epsilon;
    QueryRequest query = request.query();
    query.joint = joint;
    const Planned full = planned(query, shifts, Accountant::gdp, false);
    const auto upgrade = plan_upgrade(full.plan, table, shifts, full.noise, stored, joint);
    ASSERT_TRUE(upgrade);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      stored[i] += precision_of(upgrade->deviation[i]);
    }
    sum += amount_of(upgrade->plan, Accountant::gdp);
    last = amount_of(full.plan, Accountant::gdp);
  }
  EXPECT_NEAR(sum / last, 1, 1e-11);
  std::vector<double> one(shifts.size(), 0), other = one;
  one[0] = shifts[0].l2;
  other = one;
  other[1] = 3 * shifts[1].l2;
  EXPECT_NEAR(mu_of_draws(shifts, one, joint), 1, 1e-12);
  EXPECT_NEAR(mu_of_draws(shifts, other, joint), std::sqrt(1 + 1. / 9), 1e-12);
  other[1] = shifts[1].l2;
  EXPECT_NEAR(mu_of_draws(shifts, other, joint), std::sqrt(joint.squares), 1e-12);
}

// The price is that of the noise that is drawn, never less.
TEST(Upgrade, PriceCoversTheDraws) {
  const RowRequest request{1, 1e-6, Family::gaussian, Adjacency::add_remove, false};
  const std::vector<StatisticShift> shifts = request.shifts(kStatistics);
  const Planned full = planned(request.query(), shifts, Accountant::gdp, false);
  std::vector<double> stored;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    stored.push_back(precision_of(full.noise[i].law.scale) * static_cast<double>(i) / 2);
  }
  const auto upgrade =
      plan_upgrade(full.plan, filter_of(Accountant::gdp).accounting(), shifts, full.noise, stored);
  ASSERT_TRUE(upgrade);
  long double squares = 0;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    if (upgrade->deviation[i] == 0) continue;
    const long double ratio = static_cast<long double>(shifts[i].l2) / upgrade->deviation[i];
    squares += ratio * ratio;
  }
  EXPECT_EQ(upgrade->deviation[2], 0);  // it is there already
  EXPECT_GE(upgrade->plan.own.amount, static_cast<double>(squares));
  EXPECT_NEAR(upgrade->plan.own.amount / static_cast<double>(squares), 1, 1e-11);
  EXPECT_LT(upgrade->plan.epsilon, 1);
  EXPECT_GE(upgrade->plan.epsilon, 1e-6);
}

TEST(Upgrade, NothingIsDrawnForRounding) {
  EXPECT_EQ(missing_deviation(1, 1), 0);
  EXPECT_EQ(missing_deviation(1 - 1e-10, 1), 0);
  EXPECT_EQ(missing_deviation(2, 1), 0);
  EXPECT_DOUBLE_EQ(missing_deviation(.75, 1), 2);
  EXPECT_DOUBLE_EQ(missing_deviation(0, .25), 2);
}

TEST(Upgrade, CombinesWithoutLosingTheStatistic) {
  const std::vector<double> weights = answer_weights(std::vector{3., 4., 5.});
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.), 1, 1e-15);
  EXPECT_GT(weights[0], weights[1]);
  // As large as sums become: beside it a double would not see the noise.
  const Int128 large = Int128{1} << 100;
  EXPECT_TRUE(combined_answer(std::vector<Int128>{large + 3, large + 3, large + 3}, weights) ==
              large + 3);
  EXPECT_TRUE(combined_answer(std::vector<Int128>{-large - 10, -large + 10},
                              answer_weights(std::vector{7., 7.})) == -large);
}

TEST(Upgrade, LadderLevels) {
  EXPECT_EQ(ladder_level(.95, 1), .95);
  EXPECT_NEAR(ladder_level(.95, 2), 1 - .05 / 6, 1e-15);
  EXPECT_NEAR(ladder_level(.95, 5), 1 - .05 / 30, 1e-15);
  // 1 / (1 + 1/a + ...): one answer's reach is that of its own noise and of the roundings.
  EXPECT_NEAR(combined_reach(100, .05), 100 * 1.959964 + 1, 1e-3);
  EXPECT_NEAR(combined_reach(combined_deviation(std::vector{100., 100.}), .05),
              100 / std::sqrt(2.) * 1.959964 + 1, 1e-3);
}

}  // namespace
}  // namespace dpmix
