#include "core/tree_model/candidate_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>

#include "tables/tree_models.hpp"
#include "tables/tree_releases.hpp"

namespace dpmix {
namespace {

using test::at;

ColumnCells categories(int count) {
  ColumnCells column;
  column.categories = count;
  column.code.resize(at(count) + 1);
  std::iota(column.code.begin(), column.code.end(), 0);
  return column;
}

std::vector<test::TreeRow> some_rows(const std::vector<ColumnCells>& columns, int classes) {
  std::mt19937_64 random(50);
  std::vector<test::TreeRow> rows(200);
  for (test::TreeRow& row : rows) {
    row.k = static_cast<int>(random() % at(classes));
    for (const ColumnCells& column : columns) {
      row.x.push_back(static_cast<double>(random() % at(column.categories + 1)));
    }
  }
  return rows;
}

// More cells than a pass counts: all the same every pair has its own counts in the end.
TEST(CandidatePairs, AreCountedInAsManyPassesAsTheyNeed) {
  std::vector<ColumnCells> columns;
  for (int i = 0; i < 30; ++i) columns.push_back(categories(30 + 3 * i));
  const auto rows = some_rows(columns, 2);
  CandidatePairs pairs(2, columns);
  int passes = 0;
  for (; const auto tables = pairs.next(); ++passes) {
    EXPECT_LE(tables->cells(), MarginalTables::most_cells);
    EXPECT_THROW(pairs.take({}), std::logic_error);
    pairs.take(test::exact_counts(*tables, rows));
  }
  EXPECT_GE(passes, 4);
  EXPECT_EQ(pairs.left_out(), 0);
  ASSERT_EQ(pairs.count(), 30 * 29 / 2);
  std::set<std::pair<int, int>> seen;
  for (int t = 0; t < pairs.count(); ++t) {
    const MarginalTable& table = pairs.table(t);
    EXPECT_TRUE(seen.insert({table.a, table.b}).second);
    const MarginalTables alone(2, columns, {table});
    const std::vector<std::int64_t> counts = test::exact_counts(alone, rows);
    ASSERT_TRUE(
        std::equal(counts.begin(), counts.end(), pairs.counts(t).begin(), pairs.counts(t).end()));
  }
}

TEST(CandidatePairs, TheLargestAreLeftOut) {
  std::vector<ColumnCells> columns(100, categories(127));
  columns[0] = categories(3);
  columns[1] = categories(600);
  const CandidatePairs pairs(1, columns);
  EXPECT_EQ(pairs.count() + pairs.left_out(), 100 * 99 / 2);
  EXPECT_GT(pairs.left_out(), 98);
  double cells = 0;
  for (int t = 0; t < pairs.count(); ++t) {
    const MarginalTable& table = pairs.table(t);
    EXPECT_FALSE(table.a == 1);  // 601 x 128 cells
    cells += static_cast<double>(columns[at(table.a)].codes()) * columns[at(table.b)].codes();
  }
  EXPECT_LE(cells, CandidatePairs::most_cells);
  EXPECT_GT(cells, CandidatePairs::most_cells - CandidatePairs::most_cells_of_one);
  EXPECT_EQ(pairs.table(0).a, 0);  // the smallest first
}

TEST(CandidatePairs, ThereMayBeNone) {
  const CandidatePairs one(1, {categories(3)}), large(1000, {categories(50), categories(60)});
  EXPECT_FALSE(one.next());
  EXPECT_EQ(one.left_out(), 0);
  EXPECT_FALSE(large.next());
  EXPECT_EQ(large.left_out(), 1);
}

// Of many columns of many values two are equal, which is seen although they are among the last.
TEST(CandidatePairs, WideTablesLoseNone) {
  test::TreeCase of;
  of.epsilon = 1000;
  of.columns.assign(24, {.lower = 0, .upper = 99, .whole = true, .missing = false});
  std::mt19937_64 random(51);
  std::vector<test::TreeRow> rows(20'000);
  for (test::TreeRow& row : rows) {
    for (int i = 0; i < 24; ++i) row.x.push_back(static_cast<double>(random() % 100));
    row.x[23] = row.x[22];
  }
  RandomStream stream({52});
  const TreeRelease release = test::released(stream, of, of.plan(), rows);
  EXPECT_EQ(release.pairs_left_out(), 0);
  EXPECT_TRUE(release.model().graph().joined(22, 23));
}

}  // namespace
}  // namespace dpmix
