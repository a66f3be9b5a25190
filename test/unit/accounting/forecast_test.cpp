#include "core/accounting/forecast.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace dpmix {
namespace {

constexpr std::array kAccountants = {Accountant::basic, Accountant::renyi, Accountant::gdp};

Filter filter_of(Accountant accountant, double epsilon, double delta) {
  return {accountant, Decimal::printed(epsilon), Decimal::printed(delta),
          accountant == Accountant::renyi ? choose_order(epsilon, delta) : 0};
}

Pace pace_of(const std::vector<Spending>& charges, double seconds) {
  Pace pace{.charges = static_cast<std::int64_t>(charges.size()), .seconds = seconds};
  Spending late;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    pace.taken = pace.taken + charges[i];
    if (2 * i >= charges.size()) late = late + charges[i];
  }
  pace.taken_late = late;
  return pace;
}

// A charge an hour, always the same round of a few kinds. The forecast after any number of rounds
// is where the filter really refuses, up to one round; for rounds of one kind, up to one charge.
TEST(Forecast, EndsWhereTheFilterRefuses) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform;
  std::array<int, 4> limits{};
  for (int trial = 0; trial < 300; ++trial) {
    const Accountant accountant = kAccountants[static_cast<std::size_t>(trial % 3)];
    const Filter filter = filter_of(accountant, 4, 1e-6);
    std::vector<Spending> round(trial % 2 == 0 ? 1
                                               : 1 + static_cast<std::size_t>(uniform(random) * 4));
    for (Spending& charge : round) {
      const double epsilon = .01 + .2 * uniform(random);
      const double delta = uniform(random) < .3 ? 0 : std::exp(uniform(random) * 8 - 24);
      std::optional<Cost> own;
      if (uniform(random) < .6) own = cost_of_gaussian(filter.accounting(), epsilon / 4);
      charge = filter.charge_of(epsilon, delta, own);
    }
    // The truth: charges one after the other until one is refused.
    std::vector<Spending> before{{}};
    while (filter.admits(before.back(), round[(before.size() - 1) % round.size()])) {
      before.push_back(before.back() + round[(before.size() - 1) % round.size()]);
    }
    const auto admitted = static_cast<double>(before.size() - 1);
    const std::size_t rounds = (before.size() - 1) / round.size();
    for (std::size_t made = 1; made <= rounds; made += 1 + rounds / 7) {
      const Pace pace = pace_of(round, 3600. * static_cast<double>(round.size()));
      const std::size_t charges = made * round.size();
      const Forecast found = forecast(filter, before[charges], pace);
      const double end = static_cast<double>(charges) + found.seconds_left / 3600;
      ASSERT_NEAR(end, admitted, static_cast<double>(round.size()) + 1e-6) << trial;
      ASSERT_NEAR(static_cast<double>(charges) + static_cast<double>(found.charges_left), admitted,
                  static_cast<double>(round.size()))
          << trial;
      if (round.size() == 1) {
        ASSERT_EQ(charges + static_cast<std::size_t>(found.charges_left), before.size() - 1);
        ASSERT_GE(end,
                  admitted - 1e-6);  // the end is after the last charge, before the refused one
        ASSERT_NEAR(found.share_spent + found.share_per_second * found.seconds_left, 1, .2)
            << trial;
      }
      ++limits[found.limited_by == "epsilon" ? 0
               : found.limited_by == "delta" ? 1
               : found.limited_by == "cost"  ? 2
                                             : 3];
    }
  }
  for (const int limit : limits) EXPECT_GT(limit, 20);  // each sum was the one that ended
}

// The arm that holds longest counts, not the one that is used least now.
TEST(Forecast, TheArmThatHoldsLongestEnds) {
  const Filter filter = filter_of(Accountant::renyi, 4, 1e-6);
  // Long ago: pure charges, which fill the sum of costs more than that of guarantees. Now: Gaussian
  // ones, cheap in costs.
  const Spending now = filter.charge_of(.05, 1e-10, cost_of_gaussian(filter.accounting(), .05 / 8));
  const Spending spent = filter.charge_of(.4, 0, std::nullopt) * 3 + now * 5;
  ASSERT_LT(filter.arms(spent)[0][0].share, filter.arms(spent)[1][0].share);
  ASSERT_LT(filter.arms(spent)[1][0].share, .9);
  const Forecast found = forecast(filter, spent, pace_of(std::vector(5, now), 5));
  EXPECT_EQ(found.limited_by, "cost");
  std::int64_t left = 0;
  for (Spending sum = spent; filter.admits(sum, now); sum = sum + now) ++left;
  EXPECT_EQ(found.charges_left, left);
  EXPECT_NEAR(found.seconds_left, static_cast<double>(left), 1);
}

TEST(Forecast, WithoutPaceThereIsNoEnd) {
  const Filter filter = filter_of(Accountant::renyi, 4, 1e-6);
  for (const Pace& pace : {Pace{.seconds = 100}, Pace{.charges = 0, .seconds = 0}}) {
    const Forecast found = forecast(filter, filter.charge_of(1, 0, std::nullopt), pace);
    EXPECT_EQ(found.seconds_left, std::numeric_limits<double>::infinity());
    EXPECT_EQ(found.share_per_second, 0);
    EXPECT_EQ(found.limited_by, "");
    EXPECT_EQ(found.charges_left, 0);
    EXPECT_NE(found.caution.find("no pace"), std::string::npos);
    EXPECT_DOUBLE_EQ(found.share_spent, filter.share_spent(filter.charge_of(1, 0, std::nullopt)));
  }
}

TEST(Forecast, ASpentBudgetHasEnded) {
  const Filter filter = filter_of(Accountant::basic, 1, 0);
  const Spending charge = filter.charge_of(.1, 0, std::nullopt);
  Forecast found = forecast(filter, charge * 10, pace_of(std::vector(10, charge), 10));
  EXPECT_EQ(found.seconds_left, 0);
  EXPECT_EQ(found.charges_left, 0);
  EXPECT_EQ(found.share_spent, 1);
  EXPECT_NE(found.caution.find("used up"), std::string::npos);
  found = forecast(filter, charge * 20, pace_of(std::vector(10, charge), 10));  // lowered since
  EXPECT_EQ(found.seconds_left, 0);
  EXPECT_EQ(found.share_spent, 2);
  EXPECT_EQ(forecast(filter, charge * 9, pace_of(std::vector(9, charge), 9)).charges_left, 1);
}

TEST(Forecast, SaysWhereItIsWeak) {
  const Filter filter = filter_of(Accountant::gdp, 4, 1e-6);
  const Spending charge = filter.charge_of(.01, 1e-10, std::nullopt);
  Pace pace = pace_of(std::vector(20, charge), 20 * 86400.);
  EXPECT_EQ(forecast(filter, pace.taken, pace).caution, "");
  const auto caution = [&] { return forecast(filter, pace.taken, pace).caution; };
  pace.cut = true;
  EXPECT_NE(caution().find("protected within"), std::string::npos);
  pace.cut = false;
  pace.budget_changed = true;
  EXPECT_NE(caution().find("budget was changed"), std::string::npos);
  pace.budget_changed = false;
  pace.taken_late = charge * 16;
  EXPECT_NE(caution().find("growing"), std::string::npos);
  pace.taken_late = charge * 4;
  EXPECT_NE(caution().find("falling"), std::string::npos);
  pace.taken_late = std::nullopt;  // not for this viewer
  EXPECT_EQ(caution(), "");
  pace.widened = true;
  EXPECT_NE(caution().find("a charge of your own"), std::string::npos);
  pace = pace_of({charge}, 20);
  EXPECT_EQ(
      caution(),
      "It is too early to say how long the budget lasts: it takes 10 charges in 3 days. Only 1 "
      "charge was made in this time.");
}

}  // namespace
}  // namespace dpmix
