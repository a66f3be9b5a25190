// Decimals against the exact rational value of the doubles and texts they come from.
#include "core/accounting/decimal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using boost::multiprecision::cpp_int;

Rational exactly(double value) {
  return Rational(value);
}

Rational power_of_ten(std::size_t exponent) {
  const cpp_int power = boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent));
  return Rational(power);
}

// The plain digits that str() writes.
Rational exactly(const Decimal& value) {
  std::string digits = value.str();
  const std::size_t point = digits.find('.');
  std::size_t places = 0;
  if (point != std::string::npos) {
    places = digits.size() - point - 1;
    digits.erase(point, 1);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return Rational(cpp_int(digits)) / power_of_ten(places);
}

// Every exponent is as likely as every other: subnormals and huge numbers too.
class RandomDoubles {
 public:
  double next() {
    for (;;) {
      const double value = std::abs(std::bit_cast<double>(bits_()));
      if (std::isfinite(value)) return value;
    }
  }

 private:
  std::mt19937_64 bits_{20230801};
};

TEST(Decimal, PrintedReadsBackAsTheSameDouble) {
  RandomDoubles doubles;
  for (int i = 0; i < 2000; ++i) {
    const double value = doubles.next();
    const Decimal decimal = Decimal::printed(value);
    EXPECT_EQ(decimal.approximate(), value);
    EXPECT_EQ(Decimal::parse(decimal.str()), decimal);
  }
  for (const double value :
       {0.0, -0.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::min(),
        std::nextafter(1.0, 0.0), std::numeric_limits<double>::max()}) {
    EXPECT_EQ(Decimal::printed(value).approximate(), value);
  }
}

TEST(Decimal, DoublesOnEitherSideAreTheNearest) {
  RandomDoubles doubles;
  for (int i = 0; i < 2000; ++i) {
    // One unit in the 18th digit off a double, or the double itself in decimal.
    const double value = doubles.next();
    const Decimal decimal = Decimal::printed(value) + Decimal::round_up(i % 2 ? value * 1e-18 : 0);
    const double below = decimal.lower_double(), above = decimal.upper_double();
    EXPECT_TRUE(exactly(below) <= exactly(decimal));
    if (std::isinf(above)) continue;
    EXPECT_TRUE(exactly(above) >= exactly(decimal));
    if (exactly(below) == exactly(decimal)) {
      EXPECT_EQ(below, above);
    } else {
      EXPECT_EQ(std::nextafter(below, INFINITY), above);
    }
  }
}

TEST(Decimal, RoundingIsTheTightestOnItsSide) {
  RandomDoubles doubles;
  for (int i = 0; i < 1000; ++i) {
    const double value = doubles.next();
    const int digits = 1 + i % 17;
    const Decimal up = Decimal::round_up(value, digits), down = Decimal::round_down(value, digits);
    EXPECT_TRUE(exactly(up) >= exactly(value));
    EXPECT_TRUE(exactly(down) <= exactly(value));
    // Between them lies at most one unit in the last of the digits.
    const Rational gap = exactly(up) - exactly(down);
    EXPECT_TRUE(gap * power_of_ten(static_cast<std::size_t>(digits - 1)) <= exactly(value));
    for (const Decimal& rounded : {up, down}) {
      std::string text = rounded.str();
      std::erase(text, '.');
      text.erase(0, text.find_first_not_of('0'));
      text.resize(text.find_last_not_of('0') + 1);
      EXPECT_LE(static_cast<int>(text.size()), digits) << value;
    }
  }
  EXPECT_EQ(Decimal::round_up(0.1, 3).str(), "0.101");  // the double is above 1/10
  EXPECT_EQ(Decimal::round_down(0.1, 3).str(), "0.1");
  EXPECT_EQ(Decimal::round_up(999.5, 3).str(), "1000");
  EXPECT_EQ(Decimal::round_up(0).str(), "0");
}

TEST(Decimal, FortyTenthsAreFour) {
  Decimal sum;
  for (int i = 0; i < 40; ++i) sum += Decimal::printed(.1);
  EXPECT_EQ(sum, Decimal::printed(4));
  EXPECT_EQ(sum.str(), "4");
  EXPECT_LT(Decimal::printed(.1).lower_double(), .1);
}

TEST(Decimal, ReadsWhatPostgresPrints) {
  EXPECT_EQ(Decimal::parse("1e-06"), Decimal::parse("0.000001"));
  EXPECT_EQ(Decimal::parse("1.5E+3").str(), "1500");
  EXPECT_EQ(Decimal::parse("0.1000"), Decimal::parse("0.1"));
  EXPECT_EQ(Decimal::parse("007"), Decimal::parse("7"));
  EXPECT_EQ(Decimal::parse("-0"), Decimal());
  EXPECT_EQ(Decimal::parse("0e99999"), Decimal());
  EXPECT_EQ(Decimal::parse("5e-324").approximate(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(Decimal::parse("1.7976931348623157e+308").approximate(),
            std::numeric_limits<double>::max());
  EXPECT_EQ(Decimal::parse("0." + std::string(349, '0') + "1" + std::string(600, '0')),
            Decimal::parse("1e-350"));
}

TEST(Decimal, RefusesEverythingElse) {
  for (const char* text : {"",          ".",    "e5",    "-1",     "-0.1",
                           "+1",        "1e",   "1e+",   "1e+-1",  "1e999999999999",
                           "1.2.3",     " 1",   "1 ",    "NaN",    "Infinity",
                           "-Infinity", "0x10", "1e400", "1e-351", "1,5"}) {
    try {
      Decimal::parse(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code, ErrorCode::invalid_parameter) << text;
      EXPECT_FALSE(error.detail.empty());
    }
  }
  EXPECT_THROW(Decimal::parse(std::string(5000, '1')), Error);
  for (const double value : {-1.0, double(NAN), double(INFINITY)}) {
    EXPECT_THROW(Decimal::printed(value), Error);
    EXPECT_THROW(Decimal::round_up(value), Error);
    EXPECT_THROW(Decimal::round_down(value), Error);
  }
}

TEST(Decimal, SubtractionStopsAtZeroAndDivisionRoundsDown) {
  const Decimal one = Decimal::printed(1), tenth = Decimal::printed(.1);
  EXPECT_EQ((one - tenth).str(), "0.9");
  EXPECT_EQ(tenth - one, Decimal());
  EXPECT_EQ((Decimal::printed(1e-6) / 4).str(), "0.00000025");
  const Decimal third = one / 3;
  EXPECT_LT(third + third + third, one);
  EXPECT_GE(third + third + third + Decimal::parse("1e-349"), one);
}

TEST(Decimal, ProductsAreExactSums) {
  Decimal sum, tenth = Decimal::parse("0.1");
  for (int i = 0; i < 40; ++i) sum += tenth;
  Decimal product = tenth;
  product *= 40;
  EXPECT_EQ(product, sum);
  EXPECT_EQ(product.str(), "4");
  Decimal tiny = Decimal::parse("1e-350");
  tiny *= std::uint64_t{18446744073709551615U};
  EXPECT_EQ(tiny, Decimal::parse("18446744073709551615e-350"));
  product *= 0;
  EXPECT_EQ(product, Decimal());
}

}  // namespace
}  // namespace dpmix
