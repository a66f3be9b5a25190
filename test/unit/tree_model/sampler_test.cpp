#include "core/tree_model/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "core/base/next_double.hpp"
#include "tables/tree_models.hpp"

namespace dpmix {
namespace {

using test::at;

// In each group of rows with one class and the same codes of a column's parents, each code is as
// frequent as its share, but for less than one row.
TEST(TreeSampler, ApportionsRowsInEveryGroup) {
  std::mt19937_64 random(24);
  const std::vector<int> sizes = {2, 5, 3, 4};
  for (const int rows : {1, 2, 3, 17, 1000, 20'000}) {
    const TreeModel model =
        test::model_of_joint(random, 3, sizes, {{0, 1}, {1, 2}, {2, 0}, {3, 1}});
    const TreeLaw law(model);
    TreeSampler sampler(model);
    RandomStream stream({25});
    sampler.draw(stream, rows);
    std::vector<std::vector<int>> drawn;
    std::vector<double> labels(3);
    for (int r = 0; r < rows; ++r) {
      ++labels[at(sampler.label(r))];
      drawn.emplace_back();
      for (int i = 0; i < 4; ++i) {
        drawn.back().push_back(static_cast<int>(sampler.value(stream, r, i)));
      }
    }
    for (int k = 0; k < 3; ++k) EXPECT_LT(std::abs(labels[at(k)] - rows * law.classes()[at(k)]), 1);
    for (const ConditionalTable& table : law.tables()) {
      std::map<std::size_t, std::vector<double>> groups;  // row of the table: rows of each code
      for (int r = 0; r < rows; ++r) {
        std::vector<double>& counts =
            groups[table.row(sampler.label(r), drawn[at(r)], law.codes())];
        counts.resize(at(table.codes));
        ++counts[at(drawn[at(r)][at(table.column)])];
      }
      for (const auto& [row, counts] : groups) {
        double all = 0;
        for (const double count : counts) all += count;
        for (int v = 0; v < table.codes; ++v) {
          const double share = all * table.probability[row * at(table.codes) + at(v)];
          ASSERT_LT(std::abs(counts[at(v)] - share), 1 + 1e-9);
        }
      }
    }
  }
}

TreeModel of_column(CutColumn column) {
  TreeModel model;
  const auto codes = at(column.cells.codes());
  model.columns = {std::move(column)};
  model.tables.classes = {static_cast<double>(codes)};
  model.tables.codes = {static_cast<int>(codes)};
  model.tables.columns = {std::vector<double>(codes, 1.)};
  return model;
}

std::vector<double> values_of(const TreeModel& model, int rows) {
  TreeSampler sampler(model);
  RandomStream stream({26});
  sampler.draw(stream, rows);
  std::vector<double> values;
  for (int r = 0; r < rows; ++r) values.push_back(sampler.value(stream, r, 0));
  return values;
}

TEST(TreeSampler, ACellOfOneNumberGivesThatNumber) {
  CutColumn column = cut_column({.lower = 0, .upper = 1000, .missing = false}, 4);
  column.cells.edges = {712.25, next_up(712.25)};
  column.cells.code = {0, 1, 0, 0};
  column.weight = {1, 1, 1, 0};
  int exact = 0;
  for (const double x : values_of(of_column(column), 1000)) {
    EXPECT_TRUE(x >= 0 && x <= 1000);
    exact += x == 712.25 ? 1 : 0;
  }
  EXPECT_NEAR(exact, 500, 1);
  // The lowest and the highest number are such cells from the start.
  const TreeModel bounds = of_column(cut_column({.lower = 0, .upper = 3, .missing = false}, 1));
  int low = 0, high = 0;
  for (const double x : values_of(bounds, 3000)) {
    low += x == 0 ? 1 : 0;
    high += x == 3 ? 1 : 0;
  }
  EXPECT_NEAR(low, 1000, 1);
  EXPECT_NEAR(high, 1000, 1);
}

TEST(TreeSampler, WholeNumbersAreWholeAndWithinTheirBounds) {
  for (const auto& [lower, upper] :
       {std::pair(-2.5, 3.5), {0., 1000.}, {0x1p53 - 50, 0x1p53}, {-1e15 - .5, -1e15 + 3}}) {
    const TreeModel model =
        of_column(cut_column({.lower = lower, .upper = upper, .whole = true, .missing = false}, 8));
    std::set<double> seen;
    for (const double x : values_of(model, 4000)) {
      EXPECT_EQ(x, std::floor(x));
      EXPECT_TRUE(x >= lower && x <= upper) << x;
      seen.insert(x);
    }
    const double count = std::floor(upper) - std::ceil(lower) + 1;
    EXPECT_TRUE(count > 10 || static_cast<double>(seen.size()) == count);
  }
}

TEST(TreeSampler, ANumberLiesInItsCell) {
  for (const auto& [lower, upper] : {std::pair(0., 1.),
                                     {-1e300, 1e300},
                                     {-1.7e308, 1.7e308},
                                     {5., 5.},
                                     {1., next_up(1)},
                                     {0., 5e-324}}) {
    const CutColumn column = cut_column({.lower = lower, .upper = upper, .missing = false}, 16);
    const TreeModel model = of_column(column);
    for (const double x : values_of(model, 500)) EXPECT_TRUE(x >= lower && x <= upper) << x;
  }
}

TEST(TreeSampler, NullsComeWhereTheyMayAlone) {
  for (const bool nullable : {true, false}) {
    for (const int categories : {0, 3}) {
      CutColumn column =
          cut_column({.categories = categories, .missing = true, .nullable = nullable}, 3);
      int nulls = 0;
      for (const double x : values_of(of_column(column), 600)) nulls += std::isnan(x) ? 1 : 0;
      EXPECT_EQ(nulls > 0, nullable);
      // In one code with all others, too.
      std::fill(column.cells.code.begin(), column.cells.code.end(), 0);
      nulls = 0;
      for (const double x : values_of(of_column(column), 600)) nulls += std::isnan(x) ? 1 : 0;
      EXPECT_EQ(nulls > 0, nullable);
    }
  }
}

TEST(TreeSampler, NoRowsAreNoRows) {
  std::mt19937_64 random(27);
  const TreeModel model = test::model_of_joint(random, 2, {2, 2}, {{0, 1}});
  TreeSampler sampler(model);
  RandomStream stream({28});
  EXPECT_NO_THROW(sampler.draw(stream, 0));
}

}  // namespace
}  // namespace dpmix
