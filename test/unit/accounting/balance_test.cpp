#include "core/accounting/balance.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "core/accounting/three_digits.hpp"

namespace dpmix {
namespace {

Filter filter_of(Accountant accountant, double epsilon, double delta) {
  return {accountant, Decimal::printed(epsilon), Decimal::printed(delta),
          accountant == Accountant::renyi ? choose_order(epsilon, delta) : 0};
}

// Charges one after the other, as the ledger does, until one is refused.
std::int64_t until_refused(const Filter& filter, Balance balance, const Spending& charge) {
  std::int64_t count = 0;
  for (; admits(filter, balance, charge); ++count) {
    balance.spent = balance.spent + charge;
    balance.through_grant += charge.epsilon;
  }
  return count;
}

// Random charges before, by owner and analyst, with and without a cap; the charge in question has
// or has not a profile of its own, with or without an added delta.
TEST(Balance, ChargesLeftAreThoseThatTheLedgerAdmits) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform;
  int none = 0, capped = 0, second_arm = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Accountant accountant =
        std::array{Accountant::basic, Accountant::renyi, Accountant::gdp,
                   Accountant::gaussian}[static_cast<std::size_t>(trial % 4)];
    const Filter filter = filter_of(accountant, 4, 1e-6);
    const auto charge = [&] {
      const double epsilon = std::exp(uniform(random) * 3 - 3);
      const double delta = uniform(random) < .3 ? 0 : std::exp(uniform(random) * 8 - 24);
      std::optional<Cost> own;
      if (uniform(random) < .6) {
        own = cost_of_gaussian(filter.accounting(), epsilon / 4);
        if (uniform(random) < .3) own->added_delta = delta / 16;
      }
      return filter.charge_of(epsilon, delta, own);
    };
    Balance balance;
    if (trial % 4 == 0) balance.cap = Decimal::printed(std::ceil(uniform(random) * 40) / 10);
    for (int i = static_cast<int>(uniform(random) * 30); i > 0; --i) {
      const Spending before = charge();
      const bool through_grant = uniform(random) < .5;
      Balance uncapped = balance;
      if (!through_grant) uncapped.cap.reset();
      if (!admits(filter, uncapped, before)) continue;
      balance.spent = balance.spent + before;
      if (through_grant) balance.through_grant += before.epsilon;
    }
    const Spending asked = charge();
    const std::int64_t left = charges_left(filter, balance, asked);
    ASSERT_EQ(left, until_refused(filter, balance, asked)) << trial;
    none += left == 0;
    const std::int64_t without_cap =
        charges_left(filter, {balance.spent, balance.through_grant, std::nullopt}, asked);
    EXPECT_GE(without_cap, left);
    capped += without_cap > left;
    const Spending all = balance.spent + asked * static_cast<std::uint64_t>(left);
    second_arm += left > 0 && all.epsilon > Decimal::printed(4);
  }
  EXPECT_GT(none, 10);  // every case occurs
  EXPECT_GT(capped, 10);
  EXPECT_GT(second_arm, 10);
}

TEST(Balance, DecimalsCountExactly) {
  for (const Accountant accountant :
       {Accountant::basic, Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
    const Filter filter = filter_of(accountant, 4, 1e-6);
    EXPECT_EQ(charges_left(filter_of(Accountant::basic, 4, 0), {}, filter.charge_of(.1, 0, {})),
              40);
    Balance balance;
    balance.cap = Decimal::parse("0.3");
    EXPECT_EQ(charges_left(filter, balance, filter.charge_of(.1, 0, {})), 3);
    balance.through_grant = Decimal::parse("0.2000000000000000000000001");
    EXPECT_EQ(charges_left(filter, balance, filter.charge_of(.1, 0, {})), 0);
    EXPECT_EQ(charges_left(filter, {}, filter.charge_of(4.1, 0, {})), 0);
    // More was spent than the budget now is.
    Balance over;
    over.spent = filter.charge_of(5, 0, {});
    EXPECT_EQ(charges_left(filter, over, filter.charge_of(1e-6, 0, {})), 0);
  }
}

TEST(Balance, CountsUpToTheLargestBigint) {
  const Filter filter = filter_of(Accountant::basic, 1e7, 0);
  EXPECT_EQ(charges_left(filter, {}, filter.charge_of(1e-6, 0, {})), 10'000'000'000'000);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto epsilon = [](const char* text) { return Spending{Decimal::parse(text), {}, {}, {}}; };
  EXPECT_EQ(charges_left(filter, {}, epsilon("1e-300")), most);
  EXPECT_EQ(charges_left(filter, {}, {}), most);
  // Just below and just above: 1e7 / 2^63 lies between.
  EXPECT_EQ(charges_left(filter, {}, epsilon("1.0842021724855044e-12")), most);
  EXPECT_LT(charges_left(filter, {}, epsilon("1.0842021724855045e-12")), most);
}

TEST(Balance, AGrantAloneCountsItsCapAndItsLeast) {
  const Spending charge{Decimal::parse(".3"), {}, {}, {}};
  const auto left = [&](const Balance& balance) { return charges_through_grant(balance, charge); };
  const Decimal one = Decimal::parse("1"), tenth = Decimal::parse(".1");
  EXPECT_EQ(left({}), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(left({{}, {}, one}), 3);
  EXPECT_EQ(left({{}, tenth, one}), 3);
  EXPECT_EQ(left({{}, tenth + tenth, one}), 2);
  EXPECT_EQ(left({{}, one, one}), 0);
  EXPECT_EQ(left({charge * 1000, {}, one}), 3);
  EXPECT_EQ(left({{}, {}, one, Decimal::parse(".31")}), 0);
}

TEST(Balance, AGrantAloneCountsItsShare) {
  const Filter filter = filter_of(Accountant::gdp, 4, 1e-6);
  const Filter part = filter.part(Decimal::printed(.1));
  const Spending charge = filter.charge_of(.1, 1e-9, cost_of_gaussian(filter.accounting(), .02));
  Balance balance;
  balance.part = {part, {}};
  const std::int64_t most = charges_through_grant(balance, charge);
  EXPECT_GT(most, 40);
  EXPECT_LT(most, charges_left(filter, {}, charge) / 9);
  for (std::int64_t spent = 0; spent <= most; spent += 7) {
    balance.part->spent = charge * static_cast<std::uint64_t>(spent);
    EXPECT_EQ(charges_through_grant(balance, charge), most - spent);
    EXPECT_EQ(charges_left(filter, balance, charge), most - spent);
  }
  balance.cap = Decimal::printed(.35);  // both hold
  balance.part->spent = {};
  EXPECT_EQ(charges_through_grant(balance, charge), 3);
}

TEST(ThreeDigits, LargestThatIsNotTooMuch) {
  const auto largest = [](double limit) {
    return largest_of_three_digits([&](double x) { return x > limit; });
  };
  EXPECT_EQ(largest(.3749), .374);
  EXPECT_EQ(largest(.374), .374);
  EXPECT_EQ(largest(9.99), 9.99);
  EXPECT_EQ(largest(9.999), 9.99);
  EXPECT_EQ(largest(10.04), 10);
  EXPECT_EQ(largest(1e-6), 1e-6);
  EXPECT_EQ(largest(9e-7), 0);
  EXPECT_EQ(largest(1e300), 9.99e7);
  int asked = 0;
  largest_of_three_digits([&](double x) { return ++asked, x > .1; });
  EXPECT_LE(asked, 15);
}

}  // namespace
}  // namespace dpmix
