#include "core/noise/partition_selection.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/random/exact_exp.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<400>>;

struct Guarantee {
  double epsilon, delta;
};
const std::vector<Guarantee> kGuarantees = {
    {1, 1e-6},   {.1, 1e-9},    {.01, .01},   {1e-3, 1e-3}, {5, 1e-12},    {20, 1e-6},
    {1e6, .25},  {1e4, 1e-300}, {2, .49999},  {1, .5},      {.3, .7},      {1e-3, .9},
    {1, 1e-300}, {.7, .1},      {1e-9, 1e-4}, {1e-9, 1e-9}, {1e-7, 1e-300}};

// All n where they are few, else those around the two places where the law changes.
std::set<std::uint64_t> numbers(const PartitionSelection& selection) {
  constexpr std::uint64_t many = 150, some = 12;
  std::set<std::uint64_t> n;
  const std::uint64_t end = selection.sure_from() + 3;
  for (const std::uint64_t place : {std::uint64_t{1}, selection.turn(), selection.sure_from()}) {
    const std::uint64_t reach = end <= many ? many : some;
    for (std::uint64_t i = place > reach ? place - reach : 1; i <= std::min(place + reach, end);
         ++i) {
      n.insert(i);
    }
  }
  return n;
}

struct Range {
  cpp_rational low, high;
};
Range range_of(const PartitionSelection& selection, std::uint64_t n, int bits) {
  const Bracket range = selection.enclose(n, bits);
  return {cpp_rational(range.low, cpp_int(1) << bits),
          cpp_rational(range.high, cpp_int(1) << bits)};
}
Range inverse_of_exp(double epsilon, int bits) {
  const Bracket range = exp_minus(cpp_rational(epsilon), bits);
  return {cpp_rational(range.low, cpp_int(1) << bits),
          cpp_rational(range.high, cpp_int(1) << bits)};
}

// likelier <= other / u + d, as far as enclosures tell: where it fails they tell.
bool may_hold(const cpp_rational& likelier_low, const cpp_rational& other_high, const Range& u,
              const cpp_rational& d) {
  return likelier_low <= d || (likelier_low - d) * u.low <= other_high;
}

TEST(PartitionSelection, EveryStepIsWithinEpsilonAndDelta) {
  constexpr int bits = 200;
  for (const auto [epsilon, delta] : kGuarantees) {
    const PartitionSelection selection(epsilon, delta);
    const Range u = inverse_of_exp(epsilon, bits + 50);
    const cpp_rational d(delta);
    for (const std::uint64_t n : numbers(selection)) {
      const Range less = range_of(selection, n - 1, bits), more = range_of(selection, n, bits);
      ASSERT_LE(more.high - more.low, cpp_rational(1, cpp_int(1) << (bits - 10))) << epsilon << n;
      ASSERT_GE(more.high, less.low) << epsilon << " " << delta << " " << n;
      ASSERT_TRUE(may_hold(more.low, less.high, u, d)) << epsilon << " " << delta << " " << n;
      ASSERT_TRUE(may_hold(less.low, more.high, u, d)) << epsilon << " " << delta << " " << n;
      ASSERT_TRUE(may_hold(1 - less.high, 1 - more.low, u, d)) << epsilon << delta << " " << n;
      ASSERT_TRUE(may_hold(1 - more.high, 1 - less.low, u, d)) << epsilon << delta << " " << n;
    }
    EXPECT_EQ(range_of(selection, 0, bits).high, 0);
    EXPECT_EQ(range_of(selection, selection.sure_from(), bits).low, 1);
    EXPECT_LT(range_of(selection, selection.sure_from() - 1, bits).low, 1);
  }
}

// The recursion by itself, in 400 digits: what no rule can pass.
TEST(PartitionSelection, IsTheLargestThatTheRecursionAllows) {
  for (const auto [epsilon, delta] : kGuarantees) {
    const PartitionSelection selection(epsilon, delta);
    if (selection.sure_from() > 1000) continue;
    const Wide x = exp(Wide(epsilon)), d = delta;
    Wide p = 0;
    for (std::uint64_t n = 1; n <= selection.sure_from() + 2; ++n) {
      const Wide first = x * p + d, second = 1 - (1 - p - d) / x;
      const bool rises = first <= second;
      // The last step by the first map is the one to n1.
      EXPECT_EQ(rises, n <= selection.turn()) << epsilon << " " << delta << " " << n;
      p = std::min<Wide>(1, rises ? first : second);
      const Range found = range_of(selection, n, 300);
      const Wide low(found.low), high(found.high);
      ASSERT_GE(p, low * (1 - Wide(1e-80))) << epsilon << " " << delta << " " << n;
      ASSERT_LE(p, high + Wide(1e-80)) << epsilon << " " << delta << " " << n;
      ASSERT_NEAR(selection.probability(n), p.convert_to<double>(), 1e-13);
    }
  }
}

TEST(PartitionSelection, TurnsWhereTheRecursionTurns) {
  for (const auto [epsilon, delta] : kGuarantees) {
    const PartitionSelection selection(epsilon, delta);
    const Wide x = exp(Wide(epsilon)), d = delta;
    const auto rising = [&](std::uint64_t n) -> Wide { return d * (pow(x, n) - 1) / (x - 1); };
    const Wide turn = (1 - d) / (x + 1);
    EXPECT_GT(rising(selection.turn()), turn) << epsilon << " " << delta;
    EXPECT_LE(rising(selection.turn() - 1), turn) << epsilon << " " << delta;
    const Wide lacks = 1 - rising(selection.turn()), kappa = d / (x - 1);
    const auto lacking = [&](std::uint64_t n) -> Wide {
      return (lacks + kappa) * pow(x, -Wide(n - selection.turn())) - kappa;
    };
    EXPECT_LE(lacking(selection.sure_from()), Wide(1e-300)) << epsilon << " " << delta;
    EXPECT_GT(lacking(selection.sure_from() - 1), 0) << epsilon << " " << delta;
  }
}

TEST(PartitionSelection, DoublesAndDigitsDecideAlike) {
  for (const auto [epsilon, delta] : kGuarantees) {
    const PartitionSelection selection(epsilon, delta);
    for (const std::uint64_t n : numbers(selection)) {
      const Range exact = range_of(selection, n, 120);
      const double p = selection.probability(n);
      EXPECT_LE(cpp_rational(p) - cpp_rational(4e-12), exact.low) << epsilon << delta << " " << n;
      EXPECT_GE(cpp_rational(p) + cpp_rational(4e-12), exact.high) << epsilon << delta << " " << n;
    }
    const std::uint64_t likely = selection.likely_from();
    EXPECT_GE(selection.probability(likely), .5);
    EXPECT_LT(selection.probability(likely - 1), .5);
  }
}

TEST(PartitionSelection, SmallExample) {
  // epsilon = 1, delta = 1e-5: half of the time from 12 units on, always from 24 (by the
  // recursion).
  const PartitionSelection selection(1, 1e-5);
  EXPECT_EQ(selection.probability(1), 1e-5);
  EXPECT_NEAR(selection.probability(2), 1e-5 * (1 + std::exp(1.)), 1e-17);
  EXPECT_LE(selection.likely_from(), 12u);
  EXPECT_LE(selection.sure_from(), 24u);
}

TEST(PartitionSelection, EmptyNeverComesAndManyAlwaysCome) {
  RandomStream random({1});
  const PartitionSelection selection(.5, .1);
  for (int i = 0; i < 2000; ++i) {
    EXPECT_FALSE(selection.keeps(random, 0));
    EXPECT_TRUE(selection.keeps(random, selection.sure_from()));
    EXPECT_TRUE(selection.keeps(random, UINT64_MAX));
  }
}

TEST(PartitionSelection, RefusesWhatIsOutOfRange) {
  for (const auto [epsilon, delta] : std::vector<Guarantee>{
           {0, .1}, {9e-10, .1}, {1.1e7, .1}, {NAN, .1}, {1, 0}, {1, 1}, {1, 1e-301}, {1, NAN}}) {
    EXPECT_THROW(PartitionSelection(epsilon, delta), Error) << epsilon << " " << delta;
  }
}

}  // namespace
}  // namespace dpmix
