#include "core/input/row_rules.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// admitted <= seen <= discharged, days; a + b = total; three that are there together; a category.
// seen is before admitted in the row.
std::vector<RuledColumn> hospital() {
  std::vector<RuledColumn> columns(9);
  const auto set = [&](int i, double lower, double upper) -> RuledColumn& {
    columns[std::size_t(i)].lower = lower;
    columns[std::size_t(i)].upper = upper;
    columns[std::size_t(i)].whole = i < 3;
    return columns[std::size_t(i)];
  };
  set(0, 5, 95).at_least = 1;     // seen
  set(1, 0, 90);                  // admitted
  set(2, -10, 100).at_least = 0;  // discharged
  set(3, -1, 1);
  set(4, 0, 10);
  set(5, -1, 12).sum_of = {3, 4};
  columns[5].units = 100;
  set(6, 0, 1).present_with = 5;
  columns[7].number = false;
  set(8, 2, 3).present_with = 7;
  return columns;
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

void expect_kept(const std::vector<double>& row) {
  const auto missing = [&](int i) { return std::isnan(row[std::size_t(i)]); };
  EXPECT_TRUE(missing(0) || missing(1) || row[1] <= row[0]);
  EXPECT_TRUE(missing(0) || missing(2) || row[0] <= row[2]);
  EXPECT_EQ(missing(5), missing(3) || missing(4));
  if (!missing(5)) {
    EXPECT_EQ(std::rint(row[5] * 100), std::rint(row[3] * 100) + std::rint(row[4] * 100));
  }
  EXPECT_EQ(missing(6), missing(5));
  EXPECT_EQ(missing(3), missing(4));
  EXPECT_EQ(missing(7), missing(8));
}

std::vector<double> random_row(std::mt19937_64& random) {
  std::vector<double> row;
  for (int i = 0; i < 9; ++i) {
    const int kind = static_cast<int>(random() % 12);
    const double x = i < 3 ? double(random() % 130) - 20 : double(random() % 2000) / 100 - 4;
    row.push_back(kind == 0 ? NAN : kind == 1 ? inf : kind == 2 ? -inf : kind == 3 ? 1e300 : x);
  }
  row[7] = random() % 4 == 0 ? NAN : double(random() % 3);
  return row;
}

double fill(int) {
  return .5;
}

// Whatever a row holds, what is measured of it lies in its bounds or is what it held; the row that
// comes back keeps every rule, is the one that measure() made of it, and is measured as it was.
TEST(RowRules, AnyRowIsMeasuredAndComesBackKept) {
  const RowRules rules(hospital());
  ASSERT_EQ(rules.measured(), 8);
  EXPECT_EQ(rules.measured_of(5), -1);
  EXPECT_EQ(rules.measured_upper(0), 95);
  EXPECT_EQ(rules.measured_upper(2), 110);
  std::mt19937_64 random(71);
  for (int trial = 0; trial < 20'000; ++trial) {
    const std::vector<double> raw = random_row(random);
    std::vector<double> kept = raw, measured(8), again(8), back(9);
    rules.measure(kept, measured);
    expect_kept(kept);
    for (int i = 0; i < 9; ++i) {
      const int m = rules.measured_of(i);
      if (m < 0) continue;
      const double x = measured[std::size_t(m)];
      EXPECT_TRUE(i == 0 || i == 2 || std::isnan(x) || x == raw[std::size_t(i)]);
      if (std::isnan(x) || !(i == 0 || i == 2)) continue;
      EXPECT_GE(x, rules.measured_lower(i));
      EXPECT_LE(x, rules.measured_upper(i));
    }
    std::vector<double> inside = measured;
    for (int i = 0; i < 9; ++i) {
      const int m = rules.measured_of(i);
      if (m < 0 || std::isnan(inside[std::size_t(m)]) || i == 7) continue;
      inside[std::size_t(m)] =
          std::clamp(inside[std::size_t(m)], rules.measured_lower(i), rules.measured_upper(i));
    }
    std::vector<double> given = inside;
    rules.restore(given, back, fill);
    expect_kept(back);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_TRUE(same(back[i], kept[i])) << i;
    std::vector<double> twice = back;
    rules.measure(twice, again);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(same(again[i], inside[i])) << i;
  }
}

// What is drawn from noisy counts obeys nothing: which values are missing, how far apart they are.
TEST(RowRules, AnyMeasuredNumbersMakeARowThatKeepsThem) {
  const RowRules rules = RowRules::unpack(RowRules(hospital()).pack());
  std::mt19937_64 random(72);
  for (int trial = 0; trial < 20'000; ++trial) {
    std::vector<double> measured(8), row(9);
    for (int i = 0; i < 9; ++i) {
      const int m = rules.measured_of(i);
      if (m < 0) continue;
      const double low = rules.measured_lower(i), high = rules.measured_upper(i);
      const double share = double(random() % 1001) / 1000;
      const double x = std::lerp(low, high, share);
      measured[std::size_t(m)] = random() % 4 == 0 ? NAN : i < 3 ? std::rint(x) : x;
    }
    rules.restore(measured, row, fill);
    expect_kept(row);
    const std::vector<RuledColumn> columns = hospital();
    for (std::size_t i = 0; i < 7; ++i) {
      if (std::isnan(row[i])) continue;
      EXPECT_GE(row[i], columns[i].lower);
      EXPECT_LE(row[i], columns[i].upper);
    }
  }
}

// One object sees all rows of a scan, in any order, among them the same one twice: a row has one
// image, so that tables that differ in one row have images that differ in one.
TEST(RowRules, MovesARowByItself) {
  const RowRules rules(hospital());
  std::mt19937_64 random(73);
  std::vector<std::vector<double>> rows, images;
  for (int i = 0; i < 500; ++i) {
    rows.push_back(random_row(random));
    std::vector<double> row = rows.back(), measured(8);
    RowRules(hospital()).measure(row, measured);
    images.push_back(measured);
  }
  for (int trial = 0; trial < 5000; ++trial) {
    const std::size_t i = random() % rows.size();
    std::vector<double> row = rows[i], measured(8, double(trial));
    rules.measure(row, measured);
    for (std::size_t m = 0; m < 8; ++m) ASSERT_TRUE(same(measured[m], images[i][m]));
  }
}

TEST(RowRules, RefusesWhatCannotBeKept) {
  const auto refused = [](auto change) {
    std::vector<RuledColumn> columns = hospital();
    change(columns);
    try {
      RowRules rules(columns);
    } catch (const Error& error) {
      return error.code == ErrorCode::invalid_parameter;
    }
    return false;
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& c) { c[1].at_least = 2; }));  // a cycle
  EXPECT_TRUE(refused([](auto& c) { c[1].at_least = 1; }));  // itself
  EXPECT_TRUE(refused([](auto& c) { c[3].at_least = 5; }));  // through a sum
  EXPECT_TRUE(refused([](auto& c) { c[0].at_least = 7; }));  // a category
  EXPECT_TRUE(refused([](auto& c) { c[0].upper = 89; }));    // below admitted's
  EXPECT_TRUE(refused([](auto& c) { c[5].upper = 10.5; }));  // a sum may be 11
  EXPECT_TRUE(refused([](auto& c) { c[5].at_least = 3; }));  // two rules
  EXPECT_TRUE(refused([](auto& c) { c[6].present_with = 6; }));
  EXPECT_TRUE(refused([](auto& c) { c[6].present_with = 9; }));
  EXPECT_TRUE(refused([](auto& c) { c[0].at_least = 9; }));
  EXPECT_TRUE(refused([](auto& c) { c[0].lower = NAN; }));
  const std::vector<double> packed = RowRules(hospital()).pack();
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_THROW(RowRules::unpack(std::span(packed).first(size)), Error);
  }
}

}  // namespace
}  // namespace dpmix
