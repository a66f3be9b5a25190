#include "core/random/exact_coin.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;

TEST(ExactCoin, DoublesAreReadExactly) {
  RandomStream random({1});
  for (const double p : {0.0, 1.0}) {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(bernoulli(random, p), p == 1);
  }
  for (const double p : {0.5, 0.3, 1 - 0x1p-10, 0x1p-10, 1e-3}) {
    constexpr int draws = 200'000;
    int heads = 0;
    for (int i = 0; i < draws; ++i) heads += bernoulli(random, p);
    EXPECT_NEAR(heads, draws * p, 7 * std::sqrt(draws * p * (1 - p))) << p;
  }
  for (int i = 0; i < 100'000; ++i) {
    EXPECT_FALSE(bernoulli(random, 1e-300));
    EXPECT_FALSE(bernoulli(random, 0x1p-1074));
    EXPECT_TRUE(bernoulli(random, 1 - 0x1p-53));
  }
}

// Whether doubles or digits decide, the outcome and the words used are the same.
TEST(ExactCoin, DigitsDecideWhatDoublesWould) {
  RandomStream usual({2}), exact({2});
  for (const double x : {1e-9, 0.01, 0.7, 3.0}) {
    const double p = std::exp(-x);
    int heads = 0;
    constexpr int draws = 5000;
    for (int i = 0; i < draws; ++i) {
      const auto enclose = [x](int bits) { return exp_minus(x, bits); };
      const bool a = enclosed_coin(usual, p - 1e-12, p + 1e-12, enclose);
      ASSERT_EQ(a, enclosed_coin(exact, 0, 1, enclose));
      heads += a;
    }
    EXPECT_NEAR(heads, draws * p, 7 * std::sqrt(draws * p * (1 - p)) + 1e-3) << x;
  }
  EXPECT_EQ(usual.next64(), exact.next64());
}

// A probability whose first 64 digits are those of the uniform needs more of them.
TEST(ExactCoin, AsksForMoreDigits) {
  RandomStream peek({3}), random({3});
  const cpp_int first = peek.next64(), second = peek.next64();
  for (const int more : {-1, 1}) {
    RandomStream stream({3});
    // p = (first + (second + more) 2^-64) 2^-64
    const cpp_int p = (first << 64) + second + more;
    int asked = 0;
    const bool heads = enclosed_coin(stream, 0, 1, [&](int bits) {
      asked = bits;
      return bits < 128 ? Bracket{p >> (128 - bits), (p >> (128 - bits)) + 1}
                        : Bracket{p << (bits - 128), p << (bits - 128)};
    });
    EXPECT_EQ(heads, more == 1);
    EXPECT_GE(asked, 128);
  }
}

}  // namespace
}  // namespace dpmix
