#include "core/input/value_interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace dpmix {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double huge = std::numeric_limits<double>::max();
constexpr double tiny = std::numeric_limits<double>::denorm_min();

class Draws {
 public:
  explicit Draws(int seed) : random_(seed) {}

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  double unit() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  double number(bool integral) {
    static constexpr double special[] = {
        0, -0.0, 1, -1, 2, -2, 10, 1e15, tiny, -tiny, 2.5e-308, huge, -huge, 9007199254740993.0};
    if (integral) return below(4) == 0 ? std::floor((unit() - .5) * 0x1p55) : below(41) - 20;
    switch (below(4)) {
      case 0:
        return special[below(std::size(special))];
      case 1:
        return std::ldexp(unit() - .5, below(2098) - 1074);
      default:
        return std::ldexp(unit() - .5, below(12));
    }
  }

  ValueInterval interval() {
    const bool integral = below(2) == 0;
    double a = number(integral), b = below(4) == 0 ? a : number(integral);
    if (a > b) std::swap(a, b);
    if (below(8) == 0) a = -infinity;
    if (below(8) == 0) b = infinity;
    return {a, b, integral};
  }

  // The ends, the neighbourhood of 0 and 1, and what lies between.
  double inside(const ValueInterval& from) {
    double x = 0;
    switch (below(6)) {
      case 0:
        return from.lower;
      case 1:
        return from.upper;
      case 2:
        x = number(from.integral);
        break;
      case 3:
        x = below(5) - 2;
        break;
      default: {
        const double low = std::max(from.lower, -1e300), high = std::min(from.upper, 1e300);
        x = low + unit() * (high - low);
      }
    }
    if (from.integral) x = std::floor(x);
    return std::clamp(x, from.lower, from.upper);
  }

 private:
  std::mt19937_64 random_;
};

ValueInterval digits_or(RowOperation operation, const ValueInterval& b, Draws& draws) {
  const bool digits =
      operation == RowOperation::round_digits || operation == RowOperation::trunc_digits;
  return digits ? point(draws.below(45) - 22) : b;
}

TEST(ValueInterval, EveryComputedValueLiesInside) {
  Draws draws(1);
  std::vector<int> values(kRowOperations);
  for (int trial = 0; trial < 300000; ++trial) {
    const auto operation = static_cast<RowOperation>(trial % kRowOperations);
    const ValueInterval a = draws.interval(), b = digits_or(operation, draws.interval(), draws);
    const ValueInterval result = interval_of(operation, a, b);
    ASSERT_FALSE(std::isnan(result.lower) || std::isnan(result.upper));
    for (int i = 0; i < 8; ++i) {
      const double x = draws.inside(a), y = draws.inside(b);
      const std::optional<double> value = evaluate(operation, x, y);
      if (!value || std::isnan(*value)) continue;
      ++values[trial % kRowOperations];
      ASSERT_TRUE(result.contains(*value))
          << "operation " << trial % kRowOperations << " of " << x << " in [" << a.lower << ", "
          << a.upper << "] and " << y << " in [" << b.lower << ", " << b.upper << "] is " << *value
          << ", not in [" << result.lower << ", " << result.upper << "]";
      if (result.integral && std::isfinite(*value)) {
        ASSERT_EQ(*value, std::floor(*value)) << trial % kRowOperations << " " << x << " " << y;
      }
    }
  }
  EXPECT_GT(*std::min_element(values.begin(), values.end()), 10000);  // none is always missing
}

TEST(ValueInterval, EveryComputedValueOfNestedExpressionsLiesInside) {
  Draws draws(2);
  for (int trial = 0; trial < 20000; ++trial) {
    ValueInterval bounds[5];
    RowOperation operations[5];
    int left[5], right[5];
    for (int i = 0; i < 5; ++i) {
      operations[i] = static_cast<RowOperation>(draws.below(kRowOperations));
      left[i] = draws.below(3 + i), right[i] = draws.below(3 + i);
    }
    ValueInterval range[8];
    for (int i = 0; i < 3; ++i) range[i] = draws.interval();
    for (int i = 0; i < 5; ++i) {
      bounds[i] = digits_or(operations[i], range[right[i]], draws);
      range[3 + i] = interval_of(operations[i], range[left[i]], bounds[i]);
    }
    for (int row = 0; row < 20; ++row) {
      std::optional<double> value[8];
      for (int i = 0; i < 3; ++i) value[i] = draws.inside(range[i]);
      for (int i = 0; i < 5; ++i) {
        const bool digits = operations[i] == RowOperation::round_digits ||
                            operations[i] == RowOperation::trunc_digits;
        const std::optional<double> b = digits ? bounds[i].lower : value[right[i]];
        if (value[left[i]] && b) value[3 + i] = evaluate(operations[i], *value[left[i]], *b);
        if (!value[3 + i] || std::isnan(*value[3 + i])) continue;
        ASSERT_TRUE(range[3 + i].contains(*value[3 + i]))
            << "operation " << static_cast<int>(operations[i]) << " of " << *value[left[i]]
            << " in [" << range[left[i]].lower << ", " << range[left[i]].upper << "] and " << *b
            << " in [" << bounds[i].lower << ", " << bounds[i].upper << "] is " << *value[3 + i];
      }
    }
  }
}

TEST(ValueInterval, WholeNumbersKeepTheirVeryBounds) {
  const ValueInterval a = whole(-3, 8), b = whole(2, 5);
  const auto ends = [](RowOperation operation, const ValueInterval& x,
                       const ValueInterval& y = {}) { return interval_of(operation, x, y); };
  EXPECT_EQ(ends(RowOperation::add, a, b), (ValueInterval{-1, 13, true}));
  EXPECT_EQ(ends(RowOperation::subtract, a, b), (ValueInterval{-8, 6, true}));
  EXPECT_EQ(ends(RowOperation::multiply, a, b), (ValueInterval{-15, 40, true}));
  EXPECT_EQ(ends(RowOperation::quotient, a, b), (ValueInterval{-1, 4, true}));
  EXPECT_EQ(ends(RowOperation::remainder, a, b), (ValueInterval{-4, 4, true}));
  EXPECT_EQ(ends(RowOperation::remainder, whole(0, 90), point(10)), (ValueInterval{0, 9, true}));
  EXPECT_EQ(ends(RowOperation::power, a, point(2)), (ValueInterval{0, 64, true}));
  EXPECT_EQ(ends(RowOperation::power, a, point(3)), (ValueInterval{-27, 512, true}));
  EXPECT_EQ(ends(RowOperation::power, whole(-5, -2), point(3)), (ValueInterval{-125, -8, true}));
  EXPECT_EQ(ends(RowOperation::negate, a), (ValueInterval{-8, 3, true}));
  EXPECT_EQ(ends(RowOperation::absolute, a), (ValueInterval{0, 8, true}));
  EXPECT_EQ(ends(RowOperation::sign, a), (ValueInterval{-1, 1, true}));
  EXPECT_EQ(ends(RowOperation::floor, {-.5, 2.5}), (ValueInterval{-1, 2, true}));
  EXPECT_EQ(ends(RowOperation::square_root, whole(4, 9)), (ValueInterval{2, 3}));
  EXPECT_EQ(ends(RowOperation::round_digits, {-26, 34}, point(-1)), (ValueInterval{-30, 30, true}));
  EXPECT_EQ(ends(RowOperation::divide, a, b), (ValueInterval{-1.5, 4}));
  EXPECT_EQ(ends(RowOperation::divide, whole(0, 10), whole(0, 80)), (ValueInterval{0, 10}));
  EXPECT_EQ(ends(RowOperation::divide, whole(1, 10), whole(-2, 2)), (ValueInterval{-10, 10}));
  EXPECT_EQ(whole(.5, 9.5), (ValueInterval{1, 9, true}));
  EXPECT_FALSE(whole(.2, .8).integral);
}

TEST(ValueInterval, WhatHasNoBoundsSaysSo) {
  const ValueInterval around0{-1, 1};
  EXPECT_FALSE(interval_of(RowOperation::divide, {1, 2}, around0).finite());
  EXPECT_EQ(interval_of(RowOperation::divide, {1, 2}, {0, 5}).lower, .2);
  EXPECT_EQ(interval_of(RowOperation::divide, {1, 2}, {0, 5}).upper, infinity);
  EXPECT_EQ(interval_of(RowOperation::natural_log, {0, 5}).lower, -infinity);
  EXPECT_TRUE(interval_of(RowOperation::natural_log, {.5, 5}).finite());
  EXPECT_FALSE(interval_of(RowOperation::exponential, {0, 1000}).finite());
  EXPECT_FALSE(interval_of(RowOperation::log_base, {.5, 2}, {1, 2}).finite());
  EXPECT_TRUE(interval_of(RowOperation::log_base, {2, 3}, {1, 2}).finite());
}

TEST(ValueInterval, NumbersMadeFromNanLieInside) {
  EXPECT_TRUE(interval_of(RowOperation::sign_or_zero, {2, 3})
                  .contains(*evaluate(RowOperation::sign_or_zero, NAN)));
  EXPECT_TRUE(interval_of(RowOperation::power, {2, 3}, {-1, 4})
                  .contains(*evaluate(RowOperation::power, NAN, 0)));
  EXPECT_TRUE(interval_of(RowOperation::power, {.5, 3}, {2, 4})
                  .contains(*evaluate(RowOperation::power, 1, NAN)));
}

TEST(ValueInterval, LibraryFunctionsGoOutwardsByNextToNothing) {
  for (const RowOperation operation : {RowOperation::natural_log, RowOperation::exponential,
                                       RowOperation::log10, RowOperation::cube_root}) {
    const ValueInterval result = interval_of(operation, {2, 300});
    EXPECT_NEAR(result.lower, *evaluate(operation, 2), 1e-14 * std::abs(result.lower));
    EXPECT_NEAR(result.upper, *evaluate(operation, 300), 1e-14 * std::abs(result.upper));
  }
}

TEST(ValueInterval, GreatestAndLeastPassOverWhatIsMissing) {
  const ExtremeArgument column{{0, 10}, false}, other{{20, 30}, false}, constant{point(5), true};
  const auto greatest = [](std::vector<ExtremeArgument> list) { return greatest_of(list); };
  const auto least = [](std::vector<ExtremeArgument> list) { return least_of(list); };
  EXPECT_EQ(greatest({column, constant}), (ValueInterval{5, 10}));
  EXPECT_EQ(least({column, constant}), (ValueInterval{0, 5}));
  EXPECT_EQ(greatest({column, other}), (ValueInterval{0, 30}));  // other may be NULL
  EXPECT_EQ(least({column, other}), (ValueInterval{0, 30}));
  EXPECT_EQ(least({{{}, false}, constant}).upper, 5);
  EXPECT_EQ(least({{{}, false}, constant}).lower, -infinity);
  EXPECT_TRUE(greatest({{least({{{}, false}, constant}), false}, {point(0), true}}).finite());
}

}  // namespace
}  // namespace dpmix
