#include "core/random/bernoulli_exp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

struct Case {
  ExactRate rate;
  UInt128 multiple;
  double x;
};

const Case cases[] = {
    {{.5}, 1, .5},
    {{.1}, 1, .1},
    {{1}, 1, 1},
    {{1, 1, 3}, 1, 1.0 / 3},
    {{1, 3, 3}, 1, 1},
    {{.1, 10, 1}, 1, 1},      // in fact 1 + 2^-54, more than 1
    {{1.0 / 3, 3, 1}, 1, 1},  // 1 - 2^-54
    {{2.5}, 1, 2.5},
    {{3}, 1, 3},
    {{.5}, 6, 3},
    {{1e-6, 1, std::uint64_t{1} << 53}, static_cast<UInt128>(1) << 72, 1e-6 * 0x1p19},
    {{1e-300}, 1, 1e-300},
    {{5e-324, 1, 3}, 1, 0},
    {{0x1p-1000, ~std::uint64_t{0}, 1}, 1, 0},
};

// Every comparison by doubles when they decide, or by exact integers: outcome and words used must
// be the same.
TEST(BernoulliExp, ExactPathAgreesWithDoubles) {
  RandomStream usual({1}), exact({1});
  for (const Case& c : cases) {
    for (int i = 0; i < 2000; ++i) {
      ASSERT_EQ(bernoulli_exp(usual, c.rate, c.multiple),
                bernoulli_exp(exact, c.rate, c.multiple, .5))
          << c.x << " " << i;
    }
    ASSERT_EQ(usual.next64(), exact.next64()) << c.x;
  }
}

TEST(BernoulliExp, FrequencyIsNearItsProbability) {
  RandomStream random({2});
  for (const Case& c : cases) {
    constexpr int draws = 20000;
    int heads = 0;
    for (int i = 0; i < draws; ++i) heads += bernoulli_exp(random, c.rate, c.multiple);
    const double p = std::exp(-c.x);
    EXPECT_NEAR(heads, draws * p, 7 * std::sqrt(draws * p * (1 - p))) << c.x;
  }
}

TEST(BernoulliExp, ZeroIsCertainAndDrawsNothing) {
  RandomStream random({3}), untouched({3});
  EXPECT_TRUE(bernoulli_exp(random, {0}));
  EXPECT_TRUE(bernoulli_exp(random, {1, 0, 1}));
  EXPECT_TRUE(bernoulli_exp(random, {1}, 0));
  EXPECT_EQ(random.next64(), untouched.next64());
}

TEST(BernoulliExp, HugeIsImpossible) {
  RandomStream random({4});
  for (const double rate : {1e3, 1e7, 0x1p53, 1e100, std::numeric_limits<double>::max()}) {
    EXPECT_FALSE(bernoulli_exp(random, {rate}));
    EXPECT_FALSE(bernoulli_exp(random, {rate}, ~static_cast<UInt128>(0), .5));
    EXPECT_FALSE(bernoulli_exp(random, {rate, ~std::uint64_t{0}, 1}, ~static_cast<UInt128>(0)));
  }
}

TEST(BernoulliExp, RefusesWhatIsNoRate) {
  RandomStream random({5});
  const double infinity = std::numeric_limits<double>::infinity();
  for (const ExactRate& rate :
       {ExactRate{-1}, ExactRate{std::nan("")}, ExactRate{infinity}, ExactRate{1, 1, 0}}) {
    EXPECT_THROW(bernoulli_exp(random, rate), Error);
  }
}

}  // namespace
}  // namespace dpmix
