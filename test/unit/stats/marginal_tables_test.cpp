#include "core/stats/marginal_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double missing = std::nan("");

ColumnCells number(std::vector<double> edges) {
  ColumnCells column;
  column.edges = std::move(edges);
  column.code.resize(column.edges.size() + 2);
  std::iota(column.code.begin(), column.code.end(), 0);
  return column;
}

ColumnCells categories(int count) {
  ColumnCells column;
  column.categories = count;
  column.code.resize(static_cast<std::size_t>(count) + 1);
  std::iota(column.code.begin(), column.code.end(), 0);
  return column;
}

TEST(ColumnCells, CellsOfNumbersAreHalfOpen) {
  const ColumnCells column = number({0, 1, 2.5});
  EXPECT_EQ(column.cells(), 5);
  const std::pair<double, int> expected[] = {
      {-infinity, 0}, {-1e300, 0}, {std::nextafter(0, -1), 0},
      {0, 1},         {-0., 1},    {.5, 1},
      {1, 2},         {2.4999, 2}, {2.5, 3},
      {infinity, 3},  {missing, 4}};
  for (const auto& [x, cell] : expected) EXPECT_EQ(column.cell(x), cell) << x;
  EXPECT_EQ(number({}).cell(17), 0);
  EXPECT_EQ(number({}).cell(missing), 1);
}

TEST(ColumnCells, CategoriesOutOfRangeAreMissing) {
  const ColumnCells column = categories(3);
  for (const double bad : {missing, infinity, -infinity, -1., 3., 1e300, -1e-9}) {
    EXPECT_EQ(column.cell(bad), 3) << bad;
  }
  EXPECT_EQ(column.cell(0), 0);
  EXPECT_EQ(column.cell(2), 2);
}

TEST(ColumnCells, FindsTheCellThatBinarySearchFinds) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 3000; ++round) {
    std::vector<double> edges;
    for (std::uint64_t n = random() % 20; n > 0; --n) {
      edges.push_back(static_cast<double>(random() % 64) - 32);
    }
    if (random() % 4 == 0) edges.push_back(-infinity);
    if (random() % 4 == 0) edges.push_back(infinity);
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    const ColumnCells column = number(edges);
    for (double x = -33; x <= 33; x += .5) {
      const auto at = std::upper_bound(edges.begin(), edges.end(), x);
      ASSERT_EQ(column.cell(x), at - edges.begin());
    }
    for (const double x : {-infinity, infinity}) {
      const auto at = std::upper_bound(edges.begin(), edges.end(), x);
      ASSERT_EQ(column.cell(x), at - edges.begin());
    }
  }
}

TEST(MarginalTables, CountsOneCellOfEachTable) {
  ColumnCells merged = number({0, 1});
  merged.code = {1, 0, 1, 0};  // outer cells together; missing with the middle
  const MarginalTables tables(2, {merged, categories(2)}, {{0}, {1, -1, false}, {0, 1}, {1, 0}});
  EXPECT_EQ(tables.cells(), 4 + 3 + 12 + 12);
  EXPECT_EQ(tables.size(0), 4);
  EXPECT_EQ(tables.size(1), 3);
  EXPECT_EQ(tables.size(3), 12);
  std::vector<std::int64_t> counts(31), expected(31);
  tables.add(1, std::vector<double>{7, 1}, counts.data());
  expected[2 + 1] = 1;                     // class 1, code 1
  expected[4 + 1] = 1;                     // code 1, of both classes
  expected[7 + (1 * 2 + 1) * 3 + 1] = 1;   // class 1, codes 1, 1
  expected[19 + (1 * 3 + 1) * 2 + 1] = 1;  // turned
  EXPECT_EQ(counts, expected);
  tables.add(0, std::vector<double>{missing, missing}, counts.data());
  expected[0] = expected[4 + 2] = expected[7 + 2] = expected[19 + 2 * 2] = 1;
  EXPECT_EQ(counts, expected);
  for (int t = 0; t < tables.tables(); ++t) {
    const auto part = tables.part(std::span<const std::int64_t>(counts), t);
    EXPECT_EQ(std::accumulate(part.begin(), part.end(), std::int64_t{0}), 2);
  }
}

TEST(MarginalTables, RefusesWhatIsNoTable) {
  const auto refused = [](int classes, std::vector<ColumnCells> columns,
                          std::vector<MarginalTable> tables) {
    EXPECT_THROW(MarginalTables(classes, std::move(columns), std::move(tables)), Error);
  };
  const ColumnCells two = categories(2);
  refused(0, {two}, {{0}});
  refused(1001, {two}, {{0}});
  refused(1, {}, {{0}});
  refused(1, {two}, {});
  refused(1, {two}, {{1}});
  refused(1, {two}, {{-1}});
  refused(1, {two, two}, {{0, 2}});
  refused(1, {two, two}, {{0, -2}});
  refused(1, {two, two}, {{1, 1}});
  refused(1, std::vector<ColumnCells>(101, two), {{0}});
  refused(1, {number({1, 1})}, {{0}});
  refused(1, {number({2, 1})}, {{0}});
  refused(1, {number({missing})}, {{0}});
  refused(1, {number({missing, 1})}, {{0}});
  refused(1, {number({1, missing})}, {{0}});
  ColumnCells bad = two;
  bad.code.pop_back();
  refused(1, {bad}, {{0}});
  bad.code = {0, 1, 3};
  refused(1, {bad}, {{0}});
  bad.code = {0, -1, 1};
  refused(1, {bad}, {{0}});
  bad = two;
  bad.edges = {1};
  refused(1, {bad}, {{0}});
  refused(1000, {categories(999), categories(999)}, {{0}, {0, 1}});  // a thousand million cells
}

TEST(MarginalTables, ComesBackFromItsArray) {
  ColumnCells merged = number({-infinity, .1, 1e300});
  merged.code = {0, 0, 2, 1, 2};
  const MarginalTables tables(3, {merged, categories(4)}, {{1, 0}, {0, -1, false}});
  const std::vector<double> packed = tables.pack();
  const MarginalTables again = MarginalTables::unpack(packed);
  EXPECT_EQ(again.pack(), packed);
  EXPECT_EQ(again.classes(), 3);
  EXPECT_EQ(again.cells(), tables.cells());
  EXPECT_EQ(again.column(0).edges, merged.edges);
  EXPECT_EQ(again.column(0).code, merged.code);
  EXPECT_EQ(again.column(1).categories, 4);
  EXPECT_EQ(again.table(0).b, 0);
  EXPECT_FALSE(again.table(1).by_class);
}

// Whatever is wrong in an array: refused, or tables that count inside their cells.
TEST(MarginalTables, WithstandsHostileArrays) {
  const std::vector<double> packed =
      MarginalTables(3, {number({0, 1}), categories(4)}, {{1, 0}, {0}}).pack();
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_THROW(MarginalTables::unpack(std::span(packed).first(size)), Error);
  }
  std::vector<double> longer = packed;
  longer.push_back(0);
  EXPECT_THROW(MarginalTables::unpack(longer), Error);
  const double values[] = {missing, infinity, -infinity, -1, -2, .5, 1e9, 1 << 20, 0, 1, 2, 5};
  int accepted = 0;
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < packed.size(); ++i) {
    for (const double value : values) {
      std::vector<double> hostile = packed;
      hostile[i] = value;
      if (random() % 2 == 0) hostile[random() % hostile.size()] = value;
      try {
        const MarginalTables tables = MarginalTables::unpack(hostile);
        ++accepted;
        std::vector<std::int64_t> counts(static_cast<std::size_t>(tables.cells()));
        std::vector<double> x(static_cast<std::size_t>(tables.columns()));
        for (const double of : values) {
          std::fill(x.begin(), x.end(), of);
          tables.add(tables.classes() - 1, x, counts.data());
        }
      } catch (const Error&) {
      }
    }
  }
  EXPECT_GT(accepted, 10);
}

}  // namespace
}  // namespace dpmix
