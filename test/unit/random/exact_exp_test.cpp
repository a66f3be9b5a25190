#include "core/random/exact_exp.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;
using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<1000>>;

const cpp_rational exponents[] = {
    cpp_rational(1e-300),
    cpp_rational(1, cpp_int(1) << 200),
    cpp_rational(1, 8192),
    cpp_rational(1, 16),
    cpp_rational(1, 3),
    cpp_rational(1),
    cpp_rational(17.3),
    cpp_rational(cpp_int("12345678901234567890123"), cpp_int("1234567890123456789012")),
    cpp_rational(45),
    cpp_rational(127),
    cpp_rational(200),
    cpp_rational(1000001, 2),
};

cpp_int exp_floor(const cpp_rational& x, int bits) {  // floor(2^bits e^-x)
  const Real power = exp(-Real(numerator(x)) / Real(denominator(x)));
  return cpp_int(floor(ldexp(power, bits)));
}

TEST(ExactExp, EnclosesExpTightly) {
  for (const cpp_rational& x : exponents) {
    for (const int bits : {1, 65, 128, 192, 640}) {
      const Bracket p = exp_minus(x, bits);
      EXPECT_LE(p.low, exp_floor(x, bits)) << x << " " << bits;
      EXPECT_GT(p.high, exp_floor(x, bits)) << x << " " << bits;
      EXPECT_LE(p.high - p.low, 2) << x << " " << bits;
    }
  }
  EXPECT_EQ(exp_minus(0, 7).low, 128);
  EXPECT_EQ(exp_minus(0, 7).high, 128);
}

// Uniforms whose first digits are those of e^-x, or two more or less, however many are known.
TEST(ExactExp, DecidesWhatIsNextToTheThreshold) {
  RandomStream random({1}), words({1});
  for (const cpp_rational& x : exponents) {
    for (const int bits : {1, 10, 64, 100, 300}) {
      const cpp_int first = exp_floor(x, bits);
      if (first > 1) {
        LazyUniform below{first - 2, bits};
        EXPECT_TRUE(is_below_exp(random, below, x));
        EXPECT_EQ(below.bits, bits);
      }
      if (first + 2 < cpp_int(1) << bits) {
        LazyUniform above{first + 2, bits};
        EXPECT_FALSE(is_below_exp(random, above, x));
        EXPECT_EQ(above.bits, bits);
      }
      // The words to come decide.
      LazyUniform tied{first, bits};
      const bool less = is_below_exp(random, tied, x);
      while (words.next64() != (tied.value & ~std::uint64_t{0})) {
      }
      EXPECT_GT(tied.bits, bits);
      EXPECT_EQ(less, tied.value < exp_floor(x, tied.bits)) << x << " " << bits;
    }
  }
}

TEST(ExactExp, FindsTheLargest) {
  RandomStream random({2});
  for (const int step : {1, 7, 100, 1 << 20}) {
    const auto exponent = [&](UInt128 k) { return cpp_rational(cpp_int(k), step); };
    for (int i = 0; i < 50; ++i) {
      LazyUniform u;
      const UInt128 k = largest_below_exp(random, u, exponent);
      EXPECT_TRUE(is_below_exp(random, u, exponent(k)));
      EXPECT_FALSE(is_below_exp(random, u, exponent(k + 1)));
    }
  }
}

TEST(ExactExp, RatesAreExact) {
  EXPECT_EQ(exactly({.5, 3, 7}, 14), 3);
  EXPECT_EQ(exactly({.1, 10, 1}, 1), 1 + cpp_rational(1, cpp_int(1) << 54));
  EXPECT_EQ(exactly({0x1p-1000, ~std::uint64_t{0}, 1}, ~UInt128{0}) * (cpp_int(1) << 1000),
            cpp_rational(cpp_int(~std::uint64_t{0}) * ~UInt128{0}));
}

}  // namespace
}  // namespace dpmix
