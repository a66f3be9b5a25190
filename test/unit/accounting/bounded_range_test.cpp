// The costs of choices with a bounded range, against the laws of such choices: never below what any
// of them shows, and sharp.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "core/accounting/accountant.hpp"
#include "core/accounting/gdp_profile.hpp"
#include "core/accounting/renyi_profile.hpp"
#include "core/base/error.hpp"

namespace dpmix {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                           boost::multiprecision::et_off>;

const std::vector<double> kOrders = {1 + 0x1p-40, 1.01, 1.1, 2, 7.4954, 32, 1e3, 1e4, 1.3e9};
const std::vector<double> kRanges = {1e-6, 1e-3, .1, 1, 2.3, 8, 50, 1e3};

// The pair on two outcomes with log ratios t and t - range, 0 < t < range, by logarithms.
struct Binary {
  Wide log_p[2], log_q[2];

  Binary(const Wide& t, const Wide& range) {
    const Wide whole = 1 - exp(-range);
    log_q[0] = log((exp(range - t) - 1) / whole) - range;
    log_q[1] = log((1 - exp(-t)) / whole);
    log_p[0] = log_q[0] + t;
    log_p[1] = log_q[1] + t - range;
  }

  Wide divergence(double order) const {
    const Wide alpha = order;
    const Wide x = alpha * log_p[0] + (1 - alpha) * log_q[0];
    const Wide y = alpha * log_p[1] + (1 - alpha) * log_q[1];
    const Wide more = std::max(x, y), less = std::min(x, y);
    return (more + log(1 + exp(less - more))) / (alpha - 1);
  }
};

// The largest value of f(t) on a grid over (0, range), which is made finer about the best again and
// again: whatever it returns is the value of some t.
template <class Function>
Wide grid_supremum(double range, const Function& f) {
  constexpr int kSteps = 24, kRounds = 10;
  Wide low = 0, high = range, most = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Wide step = (high - low) / kSteps;
    Wide best = low, best_value = 0;
    for (int i = 1; i < kSteps; ++i) {
      const Wide t = low + i * step, value = f(t);
      if (value > best_value) {
        best_value = value;
        best = t;
      }
    }
    most = std::max(most, best_value);
    low = best - step;
    high = best + step;
  }
  return most;
}

TEST(BoundedRange, RenyiIsTheSupremumOfBinaryPairs) {
  for (const double range : kRanges) {
    for (const double order : kOrders) {
      SCOPED_TRACE(testing::Message() << range << " " << order);
      const Wide supremum =
          grid_supremum(range, [&](const Wide& t) { return Binary(t, range).divergence(order); });
      const Cost cost = renyi_of_bounded_range(order, range);
      EXPECT_GE(Wide(cost.amount), supremum);
      EXPECT_LE(Wide(cost.amount), supremum * (1 + Wide(1e-8)));
      EXPECT_EQ(cost.added_delta, 0);
      // What zero-concentration would charge (Cesar and Rogers 2021), and what any range allows.
      EXPECT_LE(cost.amount, order * range * range / 8 * (1 + 1e-11));
      EXPECT_LE(cost.amount, range * (1 + 1e-11));
    }
    EXPECT_EQ(renyi_of_bounded_range(2, 0).amount, 0);
  }
  EXPECT_NEAR(renyi_of_bounded_range(2, 1).amount, .240, 5e-4);
  EXPECT_NEAR(renyi_of_bounded_range(8, 1).amount, .635, 5e-4);
  EXPECT_NEAR(renyi_of_bounded_range(32, 1).amount, .871, 5e-4);
}

TEST(BoundedRange, GdpIsTheLargestOfBinaryPairs) {
  for (const double range : kRanges) {
    SCOPED_TRACE(range);
    if (range > 700) continue;  // expm1 overflows
    const auto quantile = [](double tail) {
      return std::sqrt(2.0) * boost::math::erfc_inv(2 * tail);
    };
    double most = 0;
    for (int i = 1; i < 2000; ++i) {
      const double t = range * i / 2000, whole = std::expm1(range);
      most =
          std::max(most, quantile(std::expm1(t) / whole) + quantile(std::expm1(range - t) / whole));
    }
    const Cost cost = gdp_of_bounded_range(range);
    EXPECT_GE(cost.amount, most * most * (1 - 1e-9));  // the grid's own error
    EXPECT_LE(cost.amount, most * most * (1 + 1e-8));
    EXPECT_EQ(cost.added_delta, 0);
  }
  EXPECT_EQ(gdp_of_bounded_range(0).amount, 0);
}

TEST(BoundedRange, CostGrowsWithRangeAndOrder) {
  double last_mu = 0, last_rho = 0;
  for (double range = 1e-6; range < 1e6; range *= 1.03) {
    const double mu_squared = gdp_of_bounded_range(range).amount;
    EXPECT_GT(mu_squared, last_mu);
    last_mu = mu_squared;
    double of_order = last_rho;
    for (const double order : {7.0, 7.1, 9.0, 40.0}) {
      const double rho = renyi_of_bounded_range(order, range).amount;
      EXPECT_GT(rho, of_order) << range << " " << order;
      of_order = rho;
      if (order == 7) last_rho = rho;
    }
  }
  // No step where the formula changes hands.
  for (const double order : {1.5, 601.0, 3e3}) {
    for (const double switched : {2.0, 2 / (order - 1), 1200.0, 1200 / (order - 1)}) {
      const double before = renyi_of_bounded_range(order, switched * (1 - 1e-13)).amount;
      const double after = renyi_of_bounded_range(order, switched * (1 + 1e-13)).amount;
      EXPECT_NEAR(after, before, 1e-11 * before) << order << " " << switched;
    }
  }
}

TEST(BoundedRange, InverseStaysWithinItsBudget) {
  for (double mu = 1e-9; mu < 9000; mu *= 1.7) {
    const double range = bounded_range_of_gdp(mu);
    EXPECT_LE(Wide(gdp_of_bounded_range(range).amount), Wide(mu) * mu) << mu;
    EXPECT_GT(gdp_of_bounded_range(range * (1 + 1e-9)).amount, mu * mu) << mu;
  }
  EXPECT_EQ(bounded_range_of_gdp(0), 0);
  EXPECT_EQ(bounded_range_of_gdp(1e-200), 0);  // mu^2 is no double
  EXPECT_NEAR(bounded_range_of_gdp(1),
              2 * std::log(std::erfc(-M_SQRT1_2 / 2) / std::erfc(M_SQRT1_2 / 2)), 1e-9);
}

double normal_hockey_stick(double epsilon, double mu) {
  const auto upper_tail = [](double x) { return std::erfc(x / std::sqrt(2.0)) / 2; };
  return upper_tail(epsilon / mu - mu / 2) - std::exp(epsilon) * upper_tail(epsilon / mu + mu / 2);
}

// Two laws on the same outcomes; neither has a 0.
struct Pair {
  std::vector<double> p, q;

  Pair reversed() const { return {q, p}; }

  double range() const {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double ratio = std::log(p[i] / q[i]);
      low = std::min(low, ratio);
      high = std::max(high, ratio);
    }
    return high - low;
  }
  double hockey_stick(double epsilon) const {
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      sum += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
    }
    return sum;
  }
  // By how much the curve passes that of N(0,1) and N(mu,1) at the worst of many points, all of
  // them with epsilon >= 0: less than 0 is the other direction.
  double excess(double mu) const {
    constexpr int kPoints = 60;
    double most = -1;
    for (int i = 0; i < kPoints; ++i) {
      const double epsilon = range() * i / kPoints;
      most = std::max(most, hockey_stick(epsilon) - normal_hockey_stick(epsilon, mu));
    }
    return most;
  }
  double divergence(double order) const {
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += q[i] * std::pow(p[i] / q[i], order);
    return std::log(sum) / (order - 1);
  }
};

// Of sums of doubles.
constexpr double kRounding = 1e-13;

// Nothing in the pair, both ways, exceeds the costs of this range.
void expect_within(const Pair& pair, double range) {
  const double mu = std::sqrt(gdp_of_bounded_range(range).amount);
  for (const Pair& way : {pair, pair.reversed()}) {
    EXPECT_LE(way.excess(mu), kRounding);
    for (const double order : {1.3, 2.0, 11.0}) {
      EXPECT_LE(way.divergence(order),
                renyi_of_bounded_range(order, range).amount + kRounding * 10);
    }
  }
}

void scale_to_one(std::vector<double>& law) {
  double sum = 0;
  for (const double x : law) sum += x;
  for (double& x : law) x /= sum;
}

class Mechanisms {
 public:
  explicit Mechanisms(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  // Any outcomes, with log ratios over an interval of this length.
  Pair bounded(double range) {
    Pair pair;
    const int outcomes = integer(2, 6);
    for (int i = 0; i < outcomes; ++i) {
      pair.q.push_back(std::exponential_distribution<double>(1)(random_));
      const double place = i < 2 ? i : uniform(0, 1);  // both ends are taken
      pair.p.push_back(pair.q.back() * std::exp(range * place));
    }
    scale_to_one(pair.p);
    scale_to_one(pair.q);
    return pair;
  }
  // The exponential mechanism on integer scores and on a neighbour's, each moved by low to high.
  Pair exponential(double rate, int low, int high) {
    Pair pair;
    const int candidates = integer(2, 8);
    for (int i = 0; i < candidates; ++i) {
      const int score = integer(-5, 5);
      pair.p.push_back(std::exp(rate * (score + integer(low, high))));
      pair.q.push_back(std::exp(rate * score));
    }
    scale_to_one(pair.p);
    scale_to_one(pair.q);
    return pair;
  }

 private:
  std::mt19937_64 random_;
};

TEST(BoundedRange, NoPairShowsMoreThanItCosts) {
  Mechanisms any(21);
  int caught = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const double range = std::exp(any.uniform(-4, 2));
    const Pair pair = any.bounded(range);
    expect_within(pair, range * (1 + 1e-12));
    const double half = std::sqrt(gdp_of_bounded_range(range).amount) / 2;
    caught += pair.excess(half) > kRounding || pair.reversed().excess(half) > kRounding;
  }
  EXPECT_GT(caught, 1500);  // half of mu is not enough for most of them
}

TEST(BoundedRange, TheExponentialMechanismHasTwiceRateTimesSensitivity) {
  Mechanisms any(22);
  int caught = 0, beyond_one_way = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const double rate = std::exp(any.uniform(-3, 0));
    const int sensitivity = any.integer(1, 3);
    const Pair pair = any.exponential(rate, -sensitivity, sensitivity);
    const double range = 2 * rate * sensitivity * (1 + 1e-12);
    EXPECT_LE(pair.range(), range + 1e-12);
    expect_within(pair, range);
    const double half = std::sqrt(gdp_of_bounded_range(range).amount) / 2;
    caught += pair.excess(half) > kRounding || pair.reversed().excess(half) > kRounding;
    beyond_one_way += pair.range() > rate * sensitivity * (1 + 1e-9);
    // Scores that all move the same way: half of that range.
    const Pair one_way = any.exponential(rate, 0, sensitivity);
    EXPECT_LE(one_way.range(), range / 2 + 1e-12);
    expect_within(one_way, range / 2);
  }
  EXPECT_GT(caught, 300);
  EXPECT_GT(beyond_one_way, 300);
  // Two candidates that change places are randomised response of rate * sensitivity: sharp.
  const double truth = 1 / (1 + std::exp(-1.0));
  const Pair sharp{{truth, 1 - truth}, {1 - truth, truth}};
  EXPECT_NEAR(sharp.range(), 2, 1e-12);
  const double mu = std::sqrt(gdp_of_bounded_range(2).amount);
  EXPECT_LE(sharp.excess(mu), kRounding);
  EXPECT_GT(sharp.excess(mu * (1 - 1e-6)), kRounding);
}

// The second choice, and where its log ratios lie, depends on what the first one gave.
TEST(BoundedRange, CostsOfAdaptiveChoicesAddUp) {
  Mechanisms any(23);
  int caught = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const double first_range = any.uniform(.05, 2), second_range = any.uniform(.05, 2);
    const Pair first = any.bounded(first_range);
    Pair both;
    for (std::size_t i = 0; i < first.p.size(); ++i) {
      const Pair second = any.bounded(second_range);
      for (std::size_t j = 0; j < second.p.size(); ++j) {
        both.p.push_back(first.p[i] * second.p[j]);
        both.q.push_back(first.q[i] * second.q[j]);
      }
    }
    const Cost sum = gdp_of_bounded_range(first_range) + gdp_of_bounded_range(second_range);
    const double mu = std::sqrt(sum.amount) * (1 + 1e-12);
    for (const Pair& way : {both, both.reversed()}) {
      EXPECT_LE(way.excess(mu), kRounding);
      caught += way.excess(mu / 2) > kRounding;
      const double rho =
          (renyi_of_bounded_range(3, first_range) + renyi_of_bounded_range(3, second_range)).amount;
      EXPECT_LE(way.divergence(3), rho + 10 * kRounding);
    }
  }
  EXPECT_GT(caught, 500);
}

TEST(BoundedRange, DispatchFollowsTheAccountant) {
  EXPECT_EQ(cost_of_bounded_range({Accountant::basic, 0}, 1), Cost{});
  EXPECT_EQ(cost_of_bounded_range({Accountant::gdp, 0}, 1), gdp_of_bounded_range(1));
  EXPECT_EQ(cost_of_bounded_range({Accountant::renyi, 3}, 1), renyi_of_bounded_range(3, 1));
  // A quarter of the mu^2, and less than the rho, that the same epsilon costs as a guarantee.
  EXPECT_LT(gdp_of_bounded_range(.1).amount, gdp_of_guarantee(.1, 0).amount * .2501);
  EXPECT_LT(renyi_of_bounded_range(3, .1).amount, renyi_of_guarantee(3, .1, 0).amount * .26);
}

TEST(BoundedRange, RefusesWhatHasNoMeaning) {
  for (const double range : {-1.0, double(NAN), double(INFINITY)}) {
    EXPECT_THROW(gdp_of_bounded_range(range), Error);
    EXPECT_THROW(renyi_of_bounded_range(2, range), Error);
  }
  for (const double order : {1.0, .5, double(NAN), double(INFINITY)}) {
    EXPECT_THROW(renyi_of_bounded_range(order, 1), Error);
  }
  for (const double mu : {-1.0, double(NAN), 1e5}) EXPECT_THROW(bounded_range_of_gdp(mu), Error);
}

}  // namespace
}  // namespace dpmix
