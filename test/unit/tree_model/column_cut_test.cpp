#include "core/tree_model/column_cut.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "core/base/error.hpp"
#include "core/base/next_double.hpp"

namespace dpmix {
namespace {

using Numbers = std::vector<double>;
using Codes = std::vector<int>;

ColumnValues whole(double lower, double upper) {
  return {.lower = lower, .upper = upper, .whole = true};
}
ColumnValues categories(int count) {
  return {.categories = count};
}

TEST(ColumnCut, FewWholeNumbersHaveACellEach) {
  EXPECT_TRUE(has_few_values(whole(0, 127)));
  EXPECT_FALSE(has_few_values(whole(0, 128)));
  EXPECT_FALSE(has_few_values({.lower = 0, .upper = 1}));
  EXPECT_TRUE(has_few_values(categories(5000)));
  EXPECT_TRUE(has_few_values({.lower = 3, .upper = 3}));
  const CutColumn column = cut_column(whole(-1, 2), 32);
  EXPECT_EQ(column.cells.edges, (Numbers{-.5, .5, 1.5}));
  EXPECT_EQ(column.cells.code, (Codes{0, 1, 2, 3, 4}));
  EXPECT_EQ(column.low(0), -1.5);
  EXPECT_EQ(column.high(3), 2.5);
  EXPECT_EQ(column.missing_cell(), 4);
}

TEST(ColumnCut, BoundsThatAreNotWholeHoldTheWholeNumbersBetween) {
  const CutColumn column = cut_column(whole(.5, 3.2), 32);
  EXPECT_EQ(column.cells.edges, (Numbers{1.5, 2.5}));
  EXPECT_EQ(column.low(0), .5);
  EXPECT_EQ(column.high(2), 3.5);
}

TEST(ColumnCut, NumbersHaveCellsOfEqualWidthAndTheirBoundsAlone) {
  const CutColumn column = cut_column({.lower = 0, .upper = 8}, 4);
  EXPECT_EQ(column.cells.edges, (Numbers{next_up(0), 2, 4, 6, 8}));
  EXPECT_EQ(column.cells.cell(0), 0);
  EXPECT_EQ(column.cells.cell(-5), 0);
  EXPECT_EQ(column.cells.cell(7.9), 4);
  EXPECT_EQ(column.cells.cell(8), 5);
  EXPECT_EQ(column.low(5), 8);
  EXPECT_EQ(column.high(5), 8);
}

TEST(ColumnCut, ValuesThatCannotBeMissingHaveNoCodeForIt) {
  ColumnValues values = whole(0, 2);
  values.missing = false;
  const CutColumn column = cut_column(values, 32);
  EXPECT_EQ(column.cells.codes(), 3);
  EXPECT_EQ(column.cells.code_of(std::nan("")), 2);  // in range, should one come
  EXPECT_EQ(column.weight.back(), 0);
}

TEST(ColumnCut, RefusesBoundsThatAreNone) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [lower, upper] : {std::pair(0., infinity),
                                     {-infinity, 0.},
                                     {1., 0.},
                                     {std::nan(""), 1.},
                                     {0., std::nan("")}}) {
    EXPECT_THROW(cut_column({.lower = lower, .upper = upper}, 4), Error);
    EXPECT_THROW(cut_column(whole(lower, upper), 4), Error);
  }
  EXPECT_THROW(cut_column(whole(0, 0x1.001p63), 4), Error);
  EXPECT_THROW(cut_column(categories(-1), 4), Error);
  EXPECT_THROW(cut_column(categories(std::numeric_limits<int>::max()), 4), Error);
}

TEST(MergeCodes, CategoriesWithFewRowsMakeTheRest) {
  CutColumn column = cut_column(categories(4), 32);
  EXPECT_EQ(merge_codes(column, Numbers{100, 1, 50, 3, 0}, 10), (Codes{1, 1, 3}));
  EXPECT_EQ(column.cells.code, (Codes{0, 2, 1, 2, 2}));
  EXPECT_NEAR(column.weight[3] / column.weight[1], 3, 1e-6);  // 1 and 3 rows of 4, NULL has none
  EXPECT_NEAR(column.weight[4] / column.weight[1], 0, 1e-6);
}

TEST(MergeCodes, NumbersJoinTheirNeighbours) {
  CutColumn column = cut_column(whole(0, 4), 32);
  // 20 + 25 rows are seen (3 * 10 * sqrt 2 = 42.4); 5 more join them; 0 and NULL are left over.
  EXPECT_EQ(merge_codes(column, Numbers{20, 25, 5, 90, 0, 0}, 10), (Codes{3, 1, 2}));
  EXPECT_EQ(column.cells.code, (Codes{0, 0, 0, 1, 2, 2}));
  EXPECT_NEAR(column.weight[1] / column.weight[0], 25. / 20, 1e-6);
}

TEST(MergeCodes, NothingSeenIsOneCode) {
  CutColumn column = cut_column(whole(0, 4), 32);
  EXPECT_EQ(merge_codes(column, Numbers{-20, 2, -5, 9, 0, 0}, 10), (Codes{6}));
  EXPECT_EQ(column.cells.code, (Codes{0, 0, 0, 0, 0, 0}));
  for (const double w : column.weight) EXPECT_TRUE(std::isfinite(w) && w >= 0);
}

TEST(MergeCodes, EveryCodeIsARunOfNumbersOrTheRest) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 3000; ++round) {
    const int values = 1 + static_cast<int>(random() % 40);
    const bool numbers = random() % 2 == 0;
    ColumnValues of = numbers ? whole(1, values) : categories(values);
    of.missing = random() % 2 == 0;
    CutColumn column = cut_column(of, 32);
    Numbers counts(static_cast<std::size_t>(column.cells.codes()));
    const double size = std::pow(10., static_cast<int>(random() % 6) - 2);
    for (double& count : counts) count = size * std::exp(2 * normal(random)) + 5 * normal(random);
    const std::size_t old = counts.size();
    const Codes merged = merge_codes(column, counts, 5);
    column.cells.check();
    ASSERT_EQ(column.cells.codes(), static_cast<int>(merged.size()));
    ASSERT_EQ(std::accumulate(merged.begin(), merged.end(), 0), static_cast<int>(old));
    const int rest = column.cells.codes() - 1;
    std::vector<bool> closed(merged.size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(values); ++i) {
      const int code = column.cells.code[i];
      if (numbers && code != rest) {
        ASSERT_FALSE(closed[static_cast<std::size_t>(code)]);
        if (i > 0 && column.cells.code[i - 1] != code && column.cells.code[i - 1] != rest) {
          closed[static_cast<std::size_t>(column.cells.code[i - 1])] = true;
        }
      }
      ASSERT_TRUE(std::isfinite(column.weight[i]) && column.weight[i] > 0);
    }
  }
}

}  // namespace
}  // namespace dpmix
