#include "core/query/bound_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/query/contribution.hpp"

namespace dpmix {
namespace {

std::vector<double> counts_of(const std::vector<double>& edges, const std::vector<double>& values,
                              double each = 1) {
  std::vector<double> counts(edges.size() - 1);
  for (const double value : values) {
    const auto bin = std::upper_bound(edges.begin(), edges.end(), value) - edges.begin() - 1;
    counts[static_cast<std::size_t>(bin)] += each;
  }
  return counts;
}

std::vector<double> range(double first, double last) {
  std::vector<double> values;
  for (double value = first; value <= last; value += 1) values.push_back(value);
  return values;
}

std::optional<BoundChoice> choose(bool whole, const std::vector<double>& values, double each,
                                  double row_noise = 1, double deviation = 1) {
  const std::vector<double> edges = bound_bins(whole);
  const std::vector<double> counts = counts_of(edges, values, each);
  return choose_bounds({edges, counts, deviation, whole}, row_noise);
}

TEST(BoundBins, AreAPartitionThatDpHistogramTakes) {
  for (const bool whole : {false, true}) {
    const std::vector<double> edges = bound_bins(whole);
    EXPECT_LE(edges.size(), 1000U);
    EXPECT_TRUE(std::is_sorted(edges.begin(), edges.end()));
    EXPECT_EQ(std::adjacent_find(edges.begin(), edges.end()), edges.end());
    EXPECT_EQ(edges.front(), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(edges.back(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(edges[edges.size() - 2], std::exp2(62));
  }
  // Small whole numbers have bins of their own, on both sides of 0.
  const std::vector<double> edges = bound_bins(true);
  for (int value = -8; value <= 8; ++value) {
    EXPECT_TRUE(std::binary_search(edges.begin(), edges.end(), value)) << value;
  }
}

TEST(ChooseBounds, WholeNumbersWithSharpEnds) {
  const auto found = choose(true, range(0, 10), 1000);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lower, 0);
  EXPECT_EQ(found->upper, 10);
  EXPECT_EQ(found->below + found->above, 0);
  EXPECT_EQ(found->rows, 11000);
  const auto mirrored = choose(true, range(-10, 0), 1000);
  ASSERT_TRUE(mirrored);
  EXPECT_EQ(mirrored->lower, -10);
  EXPECT_EQ(mirrored->upper, 0);
}

TEST(ChooseBounds, BothSignsAndRoundsOutwards) {
  const auto found = choose(false, range(-100, 1000), 1000);
  ASSERT_TRUE(found);
  EXPECT_LE(found->lower, -100);
  EXPECT_GE(found->lower, -130);
  EXPECT_GE(found->upper, 1000);
  EXPECT_LE(found->upper, 1200);
  EXPECT_EQ(found->upper, 100 * std::round(found->upper / 100));  // two digits
}

TEST(ChooseBounds, ALowerBoundFarFromZeroStays) {
  const auto years = choose(true, range(1990, 2020), 1000);
  ASSERT_TRUE(years);
  EXPECT_LE(years->lower, 1990);
  EXPECT_GE(years->lower, 1700);
  EXPECT_GE(years->upper, 2020);
}

TEST(ChooseBounds, ClipsWhatWeighsLessThanNoise) {
  std::vector<double> values(100000, 10);
  values.insert(values.end(), 30, 1e6);
  // 30 rows of a million: worth their noise where that is little, clipped where it is much.
  const auto little = choose(false, values, 1, 1);
  const auto much = choose(false, values, 1, 1000);
  ASSERT_TRUE(little && much);
  EXPECT_GE(little->upper, 1e6);
  EXPECT_LE(much->upper, 20);
  EXPECT_EQ(much->above, 30);
}

TEST(ChooseBounds, NothingWhereNoiseHidesTheRows) {
  EXPECT_FALSE(choose(false, range(0, 10), 1, 1, 10));         // few rows in each bin
  EXPECT_FALSE(choose(false, std::vector<double>(900), 1));    // zeros alone
  EXPECT_FALSE(choose(true, std::vector<double>(900, 0), 1));  // the same of whole numbers
  EXPECT_FALSE(choose(false, {}, 1));
  std::vector<double> hidden(4000, 5);  // and as many in bins that are not believed
  for (const double edge : bound_bins(false)) {
    if (std::isfinite(edge)) hidden.insert(hidden.end(), 4, edge);
  }
  EXPECT_FALSE(choose(false, hidden, 1, 1, 6));
}

TEST(ChooseBounds, TakesAnyNumbers) {
  const std::vector<double> edges = bound_bins(false);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double odd :
       {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, -5., 0.}) {
    std::vector<double> counts(edges.size() - 1, odd);
    for (const double deviation : {0., 1., odd}) {
      (void)choose_bounds({edges, counts, deviation, false}, 1);
      counts[500] = 1e6;
      const auto found = choose_bounds({edges, counts, deviation, false}, odd);
      if (found) {
        EXPECT_LT(found->lower, found->upper);
      }
    }
  }
}

TEST(UnitBins, AreAPartitionOfAllThatCanBeDeclared) {
  const std::vector<double> edges = unit_bins();
  EXPECT_TRUE(std::is_sorted(edges.begin(), edges.end()));
  EXPECT_EQ(std::adjacent_find(edges.begin(), edges.end()), edges.end());
  EXPECT_EQ(edges.front(), 0);
  EXPECT_EQ(edges[1], 1);
  EXPECT_EQ(edges[edges.size() - 2], kMostRowsPerUnit + 1);
  EXPECT_TRUE(std::isinf(edges.back()));
  for (std::size_t i = 1; i + 1 < edges.size(); ++i) EXPECT_EQ(edges[i], std::round(edges[i]));
}

std::optional<UnitBound> choose_rows(const std::vector<double>& rows, double each, double row_noise,
                                     double deviation = 1) {
  const std::vector<double> edges = unit_bins();
  return choose_unit_rows({edges, counts_of(edges, rows, each), deviation, true}, row_noise);
}

TEST(ChooseUnitRows, AllRowsWhereNoiseIsSmall) {
  EXPECT_EQ(choose_rows({1}, 1000, .01)->rows, 1);
  EXPECT_EQ(choose_rows(range(1, 5), 1000, .01)->rows, 5);
  EXPECT_EQ(choose_rows({8}, 1000, .01)->rows, 8);
  EXPECT_EQ(choose_rows({1e6}, 1000, .01)->rows, 1000000);
  EXPECT_EQ(choose_rows({1, 136}, 1000, .01)->rows, 150);  // the end of its bin is 143
}

TEST(ChooseUnitRows, LosesRowsThatWeighLessThanNoise) {
  const auto few = choose_rows(range(1, 8), 100, 500);
  ASSERT_TRUE(few);
  EXPECT_LT(few->rows, 4);
  EXPECT_EQ(few->units, 800);
  EXPECT_EQ(few->rows_in_all, 3600);
  EXPECT_EQ(few->units_above, 100 * (8 - few->rows));
  EXPECT_EQ(few->rows_lost, 50 * (8 - few->rows) * (9 - few->rows));
  int last = 8;
  for (const double noise : {1., 30., 100., 300., 1000., 1e5}) {
    const int rows = choose_rows(range(1, 8), 100, noise)->rows;
    EXPECT_LE(rows, last) << noise;
    last = rows;
  }
  EXPECT_EQ(last, 1);
}

TEST(ChooseUnitRows, NothingWhereNoiseHidesTheUnits) {
  EXPECT_FALSE(choose_rows({}, 1, 1));
  EXPECT_FALSE(choose_rows(range(1, 5), 100, 1, 10));
  EXPECT_FALSE(choose_rows({1e7}, 1000, 1));  // more rows than can be declared
}

TEST(ChooseUnitRows, TakesAnyNumbers) {
  const std::vector<double> edges = unit_bins();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double number : {kInfinity, -kInfinity, std::nan(""), 1e300, -1e300, 0.}) {
    std::vector<double> counts(edges.size() - 1, number);
    counts.front() = 0;
    for (const double noise : {1., number}) {
      const auto found = choose_unit_rows({edges, counts, 1, true}, noise);
      if (!found) continue;
      EXPECT_GE(found->rows, 1);
      EXPECT_LE(found->rows, kMostRowsPerUnit);
    }
  }
}

}  // namespace
}  // namespace dpmix
