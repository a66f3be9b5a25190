#include "core/input/total_arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace dpmix {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double huge = std::numeric_limits<double>::max();

double value(RowOperation operation, double a, double b = 0) {
  return evaluate(operation, a, b).value();
}

TEST(TotalArithmetic, WholeNumbersAreDividedAsIntegersAre) {
  std::mt19937_64 random(1);
  const auto draw = [&] {
    const int bits = std::uniform_int_distribution<int>(1, 53)(random);
    const std::int64_t most = (std::int64_t{1} << bits) - 1;
    return std::uniform_int_distribution<std::int64_t>(-most, most)(random);
  };
  for (int trial = 0; trial < 200000; ++trial) {
    std::int64_t a = draw(), b = draw();
    if (trial % 4 == 0) {  // next to a multiple
      b %= 1 << 26;
      a = b * (a % (1 << 26)) + trial % 3 - 1;
    }
    if (b == 0 || std::abs(a) > (std::int64_t{1} << 53)) continue;
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    ASSERT_EQ(value(RowOperation::quotient, x, y), static_cast<double>(a / b)) << a << " " << b;
    ASSERT_EQ(value(RowOperation::remainder, x, y), static_cast<double>(a % b)) << a << " " << b;
  }
}

TEST(TotalArithmetic, WhatHasNoValueGivesNone) {
  for (double a : {0.0, 1.0, -1.0, infinity}) {
    for (auto operation : {RowOperation::divide, RowOperation::quotient, RowOperation::remainder}) {
      EXPECT_FALSE(evaluate(operation, a, 0));
      EXPECT_FALSE(evaluate(operation, a, -0.0));
    }
  }
  EXPECT_FALSE(evaluate(RowOperation::add, huge, huge));
  EXPECT_FALSE(evaluate(RowOperation::subtract, -huge, huge));
  EXPECT_FALSE(evaluate(RowOperation::multiply, huge, 2));
  EXPECT_FALSE(evaluate(RowOperation::divide, huge, .5));
  EXPECT_FALSE(evaluate(RowOperation::quotient, huge, .5));
  EXPECT_FALSE(evaluate(RowOperation::power, 0, -1));
  EXPECT_FALSE(evaluate(RowOperation::power, -8, 1. / 3));
  EXPECT_FALSE(evaluate(RowOperation::power, 10, 400));
  EXPECT_FALSE(evaluate(RowOperation::exponential, 1000));
  for (double a : {0.0, -1.0, -infinity}) {
    EXPECT_FALSE(evaluate(RowOperation::natural_log, a));
    EXPECT_FALSE(evaluate(RowOperation::log10, a));
    EXPECT_FALSE(evaluate(RowOperation::log_base, a, 2));
    EXPECT_FALSE(evaluate(RowOperation::log_base, 2, a));
  }
  EXPECT_FALSE(evaluate(RowOperation::log_base, 1, 2));
  EXPECT_FALSE(evaluate(RowOperation::square_root, -1));
}

TEST(TotalArithmetic, InfinitiesAndTinyResultsHaveValues) {
  EXPECT_EQ(value(RowOperation::add, infinity, 1), infinity);
  EXPECT_TRUE(std::isnan(value(RowOperation::subtract, infinity, infinity)));
  EXPECT_EQ(value(RowOperation::divide, 1, infinity), 0);
  EXPECT_EQ(value(RowOperation::multiply, 1e-300, 1e-300), 0);
  EXPECT_EQ(value(RowOperation::exponential, -1000), 0);
  EXPECT_EQ(value(RowOperation::quotient, 7, infinity), 0);
  EXPECT_EQ(value(RowOperation::remainder, 7, infinity), 7);
  EXPECT_EQ(value(RowOperation::power, NAN, 0), 1);
}

TEST(TotalArithmetic, DecimalsAreRoundedAtTheirPlace) {
  EXPECT_EQ(value(RowOperation::round_digits, 2.25, 1), 2.3);
  EXPECT_EQ(value(RowOperation::round_digits, -2.25, 1), -2.3);
  EXPECT_EQ(value(RowOperation::trunc_digits, -2.29, 1), -2.2);
  EXPECT_EQ(value(RowOperation::round_digits, 1250, -2), 1300);
  EXPECT_EQ(value(RowOperation::round_digits, 1e300, 22), 1e300);
  EXPECT_EQ(value(RowOperation::round_digits, 738373305238339, 5), 738373305238339);
  EXPECT_EQ(value(RowOperation::round, 2.5), 3);
  EXPECT_EQ(value(RowOperation::round_even, 2.5), 2);
}

}  // namespace
}  // namespace dpmix
