#include "core/accounting/filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "core/accounting/gdp_profile.hpp"
#include "core/accounting/renyi_profile.hpp"
#include "core/base/error.hpp"
#include "core/noise/gaussian/gdp.hpp"

namespace dpmix {
namespace {

Filter basic(double epsilon, double delta) {
  return {Accountant::basic, Decimal::printed(epsilon), Decimal::printed(delta), 0};
}

Filter renyi(double epsilon, double delta) {
  return {Accountant::renyi, Decimal::printed(epsilon), Decimal::printed(delta),
          choose_order(epsilon, delta)};
}

Filter gdp(double epsilon, double delta) {
  return {Accountant::gdp, Decimal::printed(epsilon), Decimal::printed(delta), 0};
}

Filter gaussian(double epsilon, double delta) {
  return {Accountant::gaussian, Decimal::printed(epsilon), Decimal::printed(delta), 0};
}

Filter filter_of(Accountant accountant, double epsilon, double delta) {
  switch (accountant) {
    case Accountant::renyi:
      return renyi(epsilon, delta);
    case Accountant::gdp:
      return gdp(epsilon, delta);
    case Accountant::gaussian:
      return gaussian(epsilon, delta);
    default:
      return basic(epsilon, delta);
  }
}
constexpr Accountant kAccountants[] = {Accountant::basic, Accountant::renyi, Accountant::gdp,
                                       Accountant::gaussian};

// Repeats the charge until it is refused.
int admitted(const Filter& filter, const Spending& charge) {
  Spending spent;
  int count = 0;
  for (; filter.admits(spent, charge); ++count) spent = spent + charge;
  return count;
}

// The mu at which Gaussian noise is exactly (epsilon, delta)-DP, from its curve.
double gaussian_mu(double epsilon, double delta) {
  const auto tail = [](double x) { return std::erfc(x / std::numbers::sqrt2) / 2; };
  double low = 0, high = 10;
  for (int i = 0; i < 200; ++i) {
    const double mu = (low + high) / 2;
    const double reached =
        tail(epsilon / mu - mu / 2) - std::exp(epsilon) * tail(epsilon / mu + mu / 2);
    (reached <= delta ? low : high) = mu;
  }
  return low;
}

TEST(Filter, FortyTenthsFitIntoFour) {
  for (const double delta : {0.0, 1e-6}) {
    EXPECT_EQ(admitted(basic(4, delta), basic(4, delta).charge_of(.1, 0, {})), 40);
  }
  const Filter filter = basic(4, 1e-6);
  EXPECT_EQ(admitted(filter, filter.charge_of(.1, 1e-9, {})), 40);
  EXPECT_EQ(admitted(filter, filter.charge_of(.001, 1e-7, {})), 10);
  EXPECT_EQ(admitted(filter, filter.charge_of(4, 1e-6, {})), 1);
  EXPECT_EQ(admitted(filter, filter.charge_of(std::nextafter(4, 5), 0, {})), 0);
}

// At 1 nothing more fits, below something does: the gauge agrees with the filter.
TEST(Filter, ShareSpentEndsWhereTheFilterDoes) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 2);
  for (const Filter& filter :
       {basic(4, 1e-6), basic(4, 0), renyi(4, 1e-6), gdp(4, 1e-6), gaussian(4, 1e-6)}) {
    EXPECT_EQ(filter.share_spent({}), 0);
    int within = 0, beyond = 0;
    for (int i = 0; i < 2000; ++i) {
      const Spending spent{
          Decimal::printed(4 * uniform(random)), Decimal::printed(5e-7 * uniform(random) * (i % 3)),
          Decimal::printed(2 * uniform(random)), Decimal::printed(2.5e-7 * uniform(random))};
      const double share = filter.share_spent(spent);
      const bool admitted = filter.admits({}, spent);
      if (share < 1 - 1e-9) {
        EXPECT_TRUE(admitted) << share;
      }
      if (share > 1 + 1e-9) {
        EXPECT_FALSE(admitted) << share;
      }
      (admitted ? within : beyond)++;
      EXPECT_GE(filter.share_spent(spent + spent), share);
    }
    EXPECT_GT(within, 100);
    EXPECT_GT(beyond, 100);
  }
}

// The figure of a (4, 1e-6) table: 1 493 Gaussian queries of (.1, 1e-9), where `basic` has 40.
TEST(Filter, RenyiComposesGaussiansLikeRoots) {
  const Filter filter = renyi(4, 1e-6);
  const double order = choose_order(4, 1e-6);
  EXPECT_NEAR(order, 7.4954, .01);
  const double mu = gaussian_mu(.1, 1e-9);
  EXPECT_NEAR(mu, .0199164, 1e-6);  // of the same curve, solved by scipy
  const int count = admitted(filter, filter.charge_of(.1, 1e-9, renyi_of_gaussian(order, mu)));
  EXPECT_GE(count, 1450);
  EXPECT_LE(count, 1494);  // B(alpha) / (alpha mu^2 / 2) at the best order is 1493.1
}

// The same queries on a `gdp` table, beside what Gaussian-DP can do at most with the whole delta.
TEST(Filter, GdpComposesGaussiansNearlyAsWellAsCanBe) {
  const Filter filter = gdp(4, 1e-6);
  const double mu = gaussian_mu(.1, 1e-9);
  const int count = admitted(filter, filter.charge_of(.1, 1e-9, gdp_of_gaussian(mu)));
  const double most = std::pow(gaussian_mu(4, 1e-6) / mu, 2);
  EXPECT_EQ(static_cast<int>(most), 1769);  // 1769.8
  // mu^2 of (4, 5e-7) over that of (.1, 1e-9); exactly, since a count is what an owner gets.
  EXPECT_EQ(count, static_cast<int>(std::pow(gaussian_mu(4, 5e-7) / mu, 2)));
  EXPECT_EQ(count, 1678);
}

// (.1, 1e-8) out of (1, 1e-5): exact Gaussian-DP at all of delta admits 151.
TEST(Filter, GaussianComposesThemWithin3PercentOfWhatCanBe) {
  const double mu = gaussian_mu(.1, 1e-8);
  const auto count = [&](const Filter& filter) {
    const auto cost = cost_of_gaussian(filter.accounting(), mu);
    return admitted(filter, filter.charge_of(.1, 1e-8, cost));
  };
  EXPECT_EQ(static_cast<int>(std::pow(gaussian_mu(1, 1e-5) / mu, 2)), 151);
  EXPECT_EQ(count(renyi(1, 1e-5)), 119);
  EXPECT_EQ(count(gdp(1, 1e-5)), 139);
  EXPECT_EQ(count(gaussian(1, 1e-5)), 149);
  EXPECT_EQ(count(gaussian(1, 1e-5)), static_cast<int>(std::pow(gaussian_mu(1, 9e-6) / mu, 2)));
}

// Of deltas that are added it takes a twentieth, and of guarantees alone.
TEST(Filter, GaussianAdmitsATwentiethOfAddedDeltas) {
  const Filter filter = gaussian(4, 1e-6);
  EXPECT_EQ(admitted(filter, filter.charge_of(1, 5e-8, {})), 1);
  EXPECT_EQ(admitted(filter, filter.charge_of(1, 5.1e-8, {})), 0);
  EXPECT_EQ(admitted(filter, filter.charge_of(4, 0, {})), 1);
  EXPECT_EQ(filter.limits().delta, Decimal::parse("5e-8"));
  EXPECT_EQ(filter.limits().added_delta, Decimal::parse("5e-8"));
}

TEST(Filter, AFreshTableGrantsWhatItPromises) {
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp}) {
    const Filter filter = filter_of(accountant, 4, 1e-6);
    EXPECT_EQ(admitted(filter, filter.charge_of(4, 2.5e-7, {})), 1);
    EXPECT_EQ(admitted(filter, filter.charge_of(4, 2.6e-7, {})), 0);
    EXPECT_EQ(admitted(filter, filter.charge_of(4.01, 0, {})), 0);
    EXPECT_GE(admitted(filter, filter.charge_of(.1, 0, {})), 40);
  }
}

// The whole budget in one Gaussian release costs what its noise shows, no more than half of delta.
TEST(Filter, GdpGrantsOneGaussianOfHalfDelta) {
  for (const double epsilon : {.1, 1.0, 4.0, 30.0}) {
    const Filter filter = gdp(epsilon, 1e-5);
    EXPECT_EQ(admitted(filter, filter.charge_of(epsilon, 4.999e-6,
                                                gdp_of_gaussian(gdp_mu(epsilon, 4.999e-6)))),
              1);
    EXPECT_EQ(admitted(filter, filter.charge_of(epsilon, 5.001e-6,
                                                gdp_of_gaussian(gdp_mu(epsilon, 5.001e-6)))),
              0);
  }
}

TEST(Filter, OrderMaximisesTheShare) {
  for (const double epsilon : {1e-6, .1, 1.0, 4.0, 100.0, 1e7}) {
    for (const double delta : {1e-300, 1e-9, 1e-5, .3}) {
      const double order = choose_order(epsilon, delta);
      const double share = renyi_of_budget(order, epsilon, delta / 2) / order;
      EXPECT_GT(share, 0) << epsilon << " " << delta;
      for (double t = -15; t < 25; t += .37) {
        const double other = 1 + std::exp(t);
        EXPECT_LE(renyi_of_budget(other, epsilon, delta / 2) / other, share * (1 + 1e-9));
      }
    }
  }
}

// Charges of random size in random order, of which the filter picks: the sums that it let through,
// added up independently in integers, stay within one arm.
TEST(Filter, RandomChargesNeverPass) {
  std::mt19937_64 random(42);
  for (int trial = 0; trial < 300; ++trial) {
    const Accountant accountant = kAccountants[trial % 4];
    const bool is_basic = accountant == Accountant::basic;
    const bool is_gdp = accountant == Accountant::gdp || accountant == Accountant::gaussian;
    const long parts = is_basic ? 1 : accountant == Accountant::gaussian ? 20 : 4;
    const unsigned long finest = 1 + random() % 100;  // some analysts ask for little at a time
    const long total = 1 + static_cast<long>(random() % 20000);            // thousandths of epsilon
    const long delta_total = 20 * (1 + static_cast<long>(random() % 50));  // 1e-6
    const double epsilon = static_cast<double>(total) / 1000;
    const double delta = static_cast<double>(delta_total) / 1e6;
    const Filter filter = filter_of(accountant, epsilon, delta);
    const double order = is_basic ? 2 : choose_order(epsilon, delta);
    const long double mu =
        is_gdp ? gaussian_mu(epsilon, delta * static_cast<double>(parts - 2) / parts) : 0;
    Spending spent;
    long epsilon_sum = 0, delta_sum = 0;
    long double rho_sum = 0, mu_squared_sum = 0;
    int refused = 0;
    double last_gauge = 0;
    while (refused < 20) {
      const long e = 1 + static_cast<long>(random() % static_cast<unsigned long>(total) / finest);
      const long d = static_cast<long>(random() % static_cast<unsigned long>(delta_total)) / 16;
      const Spending charge =
          filter.charge_of(static_cast<double>(e) / 1000, static_cast<double>(d) / 1e6, {});
      if (!filter.admits(spent, charge)) {
        ++refused;
        continue;
      }
      spent = spent + charge;
      epsilon_sum += e;
      delta_sum += d;
      rho_sum += renyi_of_guarantee(order, static_cast<double>(e) / 1000, 0).amount;
      mu_squared_sum += gdp_of_guarantee(static_cast<double>(e) / 1000, 0).amount;
      const bool first = epsilon_sum <= total && parts * delta_sum <= delta_total;
      const bool second =
          !is_basic && parts * delta_sum <= delta_total &&
          (is_gdp
               ? mu_squared_sum <= mu * mu * (1 + 1e-9L)
               : rho_sum <= static_cast<long double>(renyi_of_budget(order, epsilon, delta / 2)));
      ASSERT_TRUE(first || second);
      if (random() % 8 != 0) continue;
      const double gauge = filter.epsilon_spent(spent);
      EXPECT_GE(gauge, last_gauge);
      EXPECT_LE(gauge, epsilon * (1 + 1e-9));
      last_gauge = gauge;
    }
    EXPECT_EQ(spent.epsilon, Decimal::printed(static_cast<double>(epsilon_sum) / 1000));
    EXPECT_GT(epsilon_sum, 0);
  }
}

TEST(Filter, GaugeStartsAtZeroAndTakesTheCheaperReading) {
  const Filter filter = renyi(4, 1e-6);
  EXPECT_EQ(filter.epsilon_spent({}), 0);
  EXPECT_EQ(basic(4, 0).epsilon_spent({}), 0);
  Spending spent = filter.charge_of(.1, 0, {});
  EXPECT_EQ(filter.epsilon_spent(spent), .1);
  const Cost own = renyi_of_gaussian(choose_order(4, 1e-6), .0199);
  for (int i = 0; i < 1000; ++i) spent = spent + filter.charge_of(.1, 1e-9, own);
  EXPECT_LT(filter.epsilon_spent(spent), 4);
  EXPECT_GT(filter.epsilon_spent(spent), 1);
}

TEST(Filter, TheGdpGaugeReadsTheCurve) {
  const Filter filter = gdp(4, 1e-6);
  EXPECT_EQ(filter.epsilon_spent({}), 0);
  EXPECT_EQ(filter.epsilon_spent(filter.charge_of(.1, 0, {})), .1);
  const Cost own = gdp_of_gaussian(gaussian_mu(.1, 1e-9));
  Spending spent;
  double last = 0;
  for (int i = 1; i <= 1600; ++i) {
    spent = spent + filter.charge_of(.1, 1e-9, own);
    if (i % 100 != 0) continue;
    const double gauge = filter.epsilon_spent(spent);
    EXPECT_GT(gauge, last);
    EXPECT_LE(gdp_delta(gauge, std::sqrt(i * own.amount)), 5e-7 * (1 + 1e-9));
    EXPECT_GE(gdp_delta(gauge * (1 - 1e-6), std::sqrt(i * own.amount)), 5e-7);
    last = gauge;
  }
  EXPECT_GT(last, 3.8);
  EXPECT_LT(last, 4);
}

TEST(Filter, ChargeTakesTheCheaperProfile) {
  const Filter filter = renyi(4, 1e-6);
  const double order = choose_order(4, 1e-6);
  const Cost generic = renyi_of_guarantee(order, .1, 1e-9);
  const Spending plain = filter.charge_of(.1, 1e-9, {});
  EXPECT_EQ(plain.amount, Decimal::round_up(generic.amount));
  EXPECT_EQ(plain.added_delta.str(), "0.000000001");
  const Spending gaussian = filter.charge_of(.1, 1e-9, renyi_of_gaussian(order, .0199));
  EXPECT_LT(gaussian.amount, plain.amount);
  EXPECT_EQ(gaussian.added_delta, Decimal());
  EXPECT_LT(filter.price(gaussian), filter.price(plain));
  // A profile that costs more than the generic one, in rho or in delta, is passed over.
  for (const Cost& dear :
       {Cost{1, 0}, Cost{INFINITY, 0}, Cost{NAN, 0}, Cost{generic.amount / 2, 2e-7}}) {
    EXPECT_EQ(filter.charge_of(.1, 1e-9, dear).amount, plain.amount);
  }
  const Spending under_basic = basic(4, 1e-6).charge_of(.1, 1e-9, renyi_of_gaussian(order, .0199));
  EXPECT_EQ(under_basic.epsilon.str(), "0.1");
  EXPECT_EQ(under_basic.amount, Decimal());
  EXPECT_EQ(under_basic.added_delta, Decimal());
  EXPECT_EQ(basic(4, 1e-6).price(under_basic), .025);
}

TEST(Filter, LargestEpsilonFitsAndTheNextDoesNot) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform;
  for (const Accountant accountant : kAccountants) {
    const Filter filter = filter_of(accountant, 4, 1e-6);
    Spending spent;
    for (int i = 0; i < 40; ++i) {
      for (const double delta : {0.0, 1e-9}) {
        const double largest = filter.largest_epsilon(spent, delta);
        if (largest > 0) {
          EXPECT_TRUE(filter.admits(spent, filter.charge_of(largest, delta, {})));
          EXPECT_EQ(Decimal::round_down(largest * (1 + 1e-12), 3), Decimal::printed(largest));
        }
        const double next = largest > 0 ? largest * 1.011 : 1e-6;
        EXPECT_FALSE(filter.admits(spent, filter.charge_of(next, delta, {})));
      }
      const Spending charge = filter.charge_of(.3 * uniform(random), 1e-9, {});
      if (filter.admits(spent, charge)) spent = spent + charge;
    }
  }
  EXPECT_EQ(basic(4, 1e-6).largest_epsilon({}, 0), 4);
  EXPECT_EQ(basic(4, 1e-6).largest_epsilon({}, 2e-6), 0);
  EXPECT_EQ(renyi(4, 1e-6).largest_epsilon({}, 2.5e-7), 4);
  EXPECT_EQ(renyi(4, 1e-6).largest_epsilon({}, 2.6e-7), 0);
  const Filter filter = basic(4, 0);
  EXPECT_EQ(filter.largest_epsilon(filter.charge_of(1.2345, 0, {}), 0), 2.76);
  EXPECT_EQ(filter.largest_epsilon(filter.charge_of(4, 0, {}), 0), 0);
}

// After arm one is used up, small releases still fit by their Renyi cost, and the hint knows it.
TEST(Filter, LargestEpsilonSeesBothArms) {
  const Filter filter = renyi(4, 1e-6);
  const double order = choose_order(4, 1e-6);
  Spending spent;
  for (int i = 0; i < 60; ++i) {
    spent = spent + filter.charge_of(.1, 1e-9, renyi_of_gaussian(order, .0199));
  }
  const double largest = filter.largest_epsilon(spent, 0);
  EXPECT_GT(spent.epsilon, Decimal::printed(4));
  EXPECT_GT(largest, .1);
}

TEST(Filter, ARaisedBudgetContinuesAtTheSameOrder) {
  const double order = choose_order(4, 1e-6);
  const Filter raised(Accountant::renyi, Decimal::printed(6), Decimal::printed(1e-6), order);
  const Filter filter = renyi(4, 1e-6);
  EXPECT_GT(raised.amount_total(), filter.amount_total());
  const Spending spent = filter.charge_of(4, 0, {});
  EXPECT_FALSE(filter.admits(spent, filter.charge_of(1, 0, {})));
  EXPECT_TRUE(raised.admits(spent, raised.charge_of(1, 0, {})));
  const Filter wide = gdp(6, 1e-6);
  EXPECT_GT(wide.amount_total(), gdp(4, 1e-6).amount_total());
  // A budget lowered below what is spent admits nothing.
  EXPECT_FALSE(renyi(1, 1e-6).admits(spent, renyi(1, 1e-6).charge_of(1e-6, 0, {})));
}

TEST(Filter, TinyBudgetsHaveNoSecondArmAndStillWork) {
  const Filter filter(Accountant::renyi, Decimal::printed(1e-6), Decimal::printed(1e-9), 2);
  EXPECT_EQ(filter.amount_total(), Decimal());
  EXPECT_EQ(admitted(filter, filter.charge_of(1e-6, 0, {})), 1);
  EXPECT_TRUE(std::isinf(filter.price(filter.charge_of(1e-6, 0, {}))));
}

TEST(Filter, RefusesBudgetsWithoutMeaning) {
  const Decimal one = Decimal::printed(1), none;
  EXPECT_NO_THROW(Filter(Accountant::basic, one, none, 0));
  EXPECT_THROW(Filter(Accountant::renyi, one, none, 2), Error);
  EXPECT_THROW(Filter(Accountant::gdp, one, none, 0), Error);
  EXPECT_THROW(Filter(Accountant::gdp, one, Decimal::parse("1e-330"), 0), Error);
  EXPECT_NO_THROW(Filter(Accountant::gdp, one, Decimal::printed(1e-6), 0));
  EXPECT_THROW(Filter(Accountant::renyi, one, one, 2), Error);
  EXPECT_THROW(Filter(Accountant::basic, one, one, 0), Error);
  EXPECT_THROW(Filter(Accountant::basic, none, none, 0), Error);
  EXPECT_THROW(Filter(Accountant::renyi, one, Decimal::printed(1e-6), 1), Error);
  EXPECT_THROW(choose_order(0, 1e-6), Error);
  EXPECT_THROW(choose_order(1, 0), Error);
  EXPECT_THROW(basic(1, 0).charge_of(-1, 0, {}), Error);
}

Decimal times(Decimal a, const Decimal& b) {
  return a *= b;
}

// Caps by a share: each limit times the share, in exact decimals, and nothing else changes.
TEST(Filter, APartAdmitsItsShareOfEachSum) {
  std::mt19937_64 random(40);
  std::uniform_real_distribution<double> uniform;
  int by_first = 0, by_second = 0, refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Accountant accountant = kAccountants[trial % 4];
    const Filter filter = filter_of(accountant, 4, 1e-6);
    const Decimal share = Decimal::printed(std::ceil(uniform(random) * 1000) / 1000);
    const Filter part = filter.part(share);
    const auto some = [&] {
      const double epsilon = std::exp(uniform(random) * 6 - 6);
      const double delta = uniform(random) < .5 ? 0 : std::exp(uniform(random) * 8 - 24);
      std::optional<Cost> own;
      if (uniform(random) < .5) own = cost_of_gaussian(filter.accounting(), epsilon / 3);
      return filter.charge_of(epsilon, delta, own);
    };
    const Spending spent = some() * static_cast<std::uint64_t>(uniform(random) * 8),
                   charge = some();
    const Spending sums = spent + charge, most = filter.limits();
    const bool first =
        sums.epsilon <= times(most.epsilon, share) && sums.delta <= times(most.delta, share);
    const bool second = accountant != Accountant::basic &&
                        sums.amount <= times(most.amount, share) &&
                        sums.added_delta <= times(most.added_delta, share);
    ASSERT_EQ(part.admits(spent, charge), first || second) << trial;
    EXPECT_TRUE(!part.admits(spent, charge) || filter.admits(spent, charge));
    EXPECT_EQ(filter.part(Decimal::printed(1)).admits(spent, charge), filter.admits(spent, charge));
    by_first += first && !second;
    by_second += second && !first;
    refused += !first && !second;
  }
  EXPECT_GT(by_first, 10);
  EXPECT_GT(by_second, 10);
  EXPECT_GT(refused, 100);
}

// What it is for: many small answers take little of the budget, whatever their epsilons add up to.
TEST(Filter, APartIsNoCapOnTheSumOfEpsilon) {
  const Filter filter = gdp(4, 1e-6), tenth = filter.part(Decimal::printed(.1));
  const Spending charge = filter.charge_of(.1, 1e-9, cost_of_gaussian(filter.accounting(), .02));
  const int admits = admitted(tenth, charge);
  EXPECT_GT(times(charge.epsilon, Decimal::printed(admits)), Decimal::printed(4));
  EXPECT_NEAR(admits, admitted(filter, charge) / 10., 1);
  // Ten of them are together what the filter admits, where all go by the same rule.
  EXPECT_LE(10 * admits, admitted(filter, charge));
}

TEST(Filter, NamesAreReadBack) {
  for (const Accountant accountant : kAccountants) {
    EXPECT_EQ(accountant_of(name(accountant)), accountant);
  }
  EXPECT_EQ(accountant_of("Renyi"), std::nullopt);
}

}  // namespace
}  // namespace dpmix
