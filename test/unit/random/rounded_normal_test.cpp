#include "core/random/rounded_normal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

cpp_int floor(const cpp_rational& x) {  // x >= 0
  return numerator(x) / denominator(x);
}

cpp_int magnitude(std::uint16_t key, double sigma) {
  RandomStream random({static_cast<std::uint8_t>(key), static_cast<std::uint8_t>(key >> 8)});
  const Int128 value = rounded_normal(random, sigma);
  return cpp_int(static_cast<UInt128>(value < 0 ? -value : value));
}

// At one key |N| is the same number whatever sigma is. A draw at 2^90, which always takes more
// than 64 digits and multiple precision, brackets it to 2^-90: every other draw must be its exact
// multiple, rounded.
TEST(RoundedNormal, ProductWithSigmaIsExact) {
  const cpp_int unit = cpp_int(1) << 90;
  int compared = 0;
  for (std::uint16_t key = 0; key < 300; ++key) {
    const cpp_int bracket = magnitude(key, 0x1p90);
    const cpp_rational low = cpp_rational(2 * bracket - 1) / (2 * unit);
    const cpp_rational high = cpp_rational(2 * bracket + 1) / (2 * unit);
    for (const double sigma : {1e-300, .1, .5, 3.731, 1e6 / 7, 0x1.fffffffffffffp40, 1e15 / 3,
                               0x1p60, 1e18 / 7, 0x1.23456789abcdep70}) {
      const cpp_int drawn = magnitude(key, sigma);
      const cpp_rational half(1, 2), exact_sigma(sigma);
      const cpp_int least = floor(std::max(cpp_rational(0), low) * exact_sigma + half);
      const cpp_int most = floor(high * exact_sigma + half);
      ASSERT_LE(least, drawn) << sigma << " " << key;
      ASSERT_GE(most, drawn) << sigma << " " << key;
      compared += least == most;
    }
  }
  EXPECT_GT(compared, 2990);  // the bracket is narrow enough to leave no choice
}

// One prepared sampler gives what a new one for each draw gives.
TEST(RoundedNormal, OneDrawIsThatOfThePreparedSampler) {
  RandomStream one({5}), other({5});
  for (const double sigma : {.4, 3., 0x1p40, 0x1p80}) {
    const RoundedNormal normal(sigma);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(normal(one) == rounded_normal(other, sigma));
  }
}

// Points above the rectangles are accepted by doubles where these decide, or by exact arithmetic:
// outcome and words used must be the same.
TEST(RoundedNormal, ExactPathAgreesWithDoubles) {
  RandomStream usual({6}), exact({6}), narrow({6});
  const RoundedNormal by_doubles(0x1p50), by_digits(0x1p50, Rounding::nearest, 64, 1000),
      by_both(0x1p50, Rounding::nearest, 64, .1);
  for (int i = 0; i < 20000; ++i) {
    const Int128 value = by_doubles(usual);
    ASSERT_TRUE(value == by_digits(exact)) << i;
    ASSERT_TRUE(value == by_both(narrow)) << i;
  }
  const std::uint64_t next = usual.next64();
  EXPECT_EQ(next, exact.next64());
  EXPECT_EQ(next, narrow.next64());
}

TEST(RoundedNormal, SignIsFairAndScaleIsSigma) {
  RandomStream random({1});
  constexpr int draws = 20000;
  for (const double sigma : {1e3, 0x1p62, 0x1p90}) {
    for (const int digit_bits : {64, 5}) {
      const RoundedNormal normal(sigma, Rounding::nearest, digit_bits);
      int negative = 0;
      double squares = 0;
      for (int i = 0; i < draws; ++i) {
        const double z = static_cast<double>(normal(random)) / sigma;
        negative += z < 0;
        squares += z * z;
      }
      EXPECT_NEAR(negative, draws / 2, 7 * std::sqrt(draws) / 2);
      EXPECT_NEAR(squares / draws, 1, 7 * std::sqrt(2. / draws));
    }
  }
}

TEST(RoundedNormal, TinySigmaGivesZero) {
  RandomStream random({2});
  for (const double sigma : {1e-3, 0x1p-60, 1e-300, std::numeric_limits<double>::denorm_min()}) {
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(rounded_normal(random, sigma) == 0);
    EXPECT_TRUE(RoundedNormal(sigma, Rounding::nearest, 7)(random) == 0);
  }
}

TEST(RoundedNormal, RefusesSigmaOutOfRange) {
  RandomStream random({3});
  for (const double sigma :
       {0., -1., 0x1.0000000000001p90, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(rounded_normal(random, sigma), Error) << sigma;
  }
}

}  // namespace
}  // namespace dpmix
