#include "core/tree_model/release.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/tree_model/sampler.hpp"
#include "tables/tree_releases.hpp"

namespace dpmix {
namespace {

using test::TreeCase;
using test::TreeRow;

const double missing = std::nan("");

const ColumnValues wage = {.lower = 0, .upper = 1e4};
const ColumnValues wide = {.lower = -1e6, .upper = 1e6, .whole = true};
const ColumnValues age = {.lower = 0, .upper = 99, .whole = true, .missing = false};
const ColumnValues sort = {.categories = 5, .nullable = false};

std::vector<TreeRow> some_rows(std::mt19937_64& random, int count, int classes,
                               std::size_t columns) {
  const double any[] = {0,
                        1,
                        2,
                        3.5,
                        70,
                        712.25,
                        9999,
                        1e4,
                        -5e5,
                        1e300,
                        missing,
                        -std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::infinity()};
  std::vector<TreeRow> rows(static_cast<std::size_t>(count));
  for (TreeRow& row : rows) {
    row.k = static_cast<int>(random() % static_cast<std::uint64_t>(classes));
    for (std::size_t i = 0; i < columns; ++i) row.x.push_back(any[random() % std::size(any)]);
  }
  return rows;
}

// A model that can be stored, read back and drawn from.
void expect_valid(const TreeModel& model) {
  const TreeModel again = TreeModel::unpack(model.pack());
  TreeSampler sampler(again);
  RandomStream stream({29});
  sampler.draw(stream, 200);
  for (int r = 0; r < 200; ++r) {
    for (std::size_t i = 0; i < again.columns.size(); ++i) {
      const ColumnValues& of = again.columns[i].values;
      const double x = sampler.value(stream, r, static_cast<int>(i));
      if (std::isnan(x)) {
        ASSERT_TRUE(of.missing && of.nullable);
      } else {
        ASSERT_TRUE(of.categories > 0 ? x >= 0 && x < of.categories
                                      : x >= of.lower && x <= of.upper);
      }
    }
  }
}

TEST(TreeRelease, EndsWithAModelOfAnyTable) {
  std::mt19937_64 random(30);
  RandomStream stream({31});
  const std::vector<std::vector<ColumnValues>> tables = {
      {sort}, {wage}, {age, wage}, {wide, wage, sort, age, sort}};
  for (const auto& columns : tables) {
    for (const Bins bins : {Bins::private_, Bins::equal}) {
      for (const int classes : {1, 3}) {
        for (const double epsilon : {1e-3, 1., 1e4}) {
          for (const int count : {0, 1, 7, 3000}) {
            TreeCase of;
            of.classes = classes;
            of.columns = columns;
            of.bins = bins;
            of.epsilon = epsilon;
            const auto rows = some_rows(random, count, classes, columns.size());
            const TreeRelease release = test::released(stream, of, of.plan(), rows);
            EXPECT_EQ(release.next(), nullptr);
            EXPECT_GE(release.rows(), 1 - 1e-9);
            ASSERT_NO_FATAL_FAILURE(expect_valid(release.model()));
            const TreeModel model = release.model();
            EXPECT_LE(model.tables.pairs.size(),
                      static_cast<std::size_t>(of.plan().edges + of.plan().chords));
          }
        }
      }
    }
  }
}

// Bounds of every kind, through a whole release.
TEST(TreeRelease, WithstandsAnyBounds) {
  constexpr double most = std::numeric_limits<double>::max();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  std::mt19937_64 random(32);
  RandomStream stream({33});
  for (const auto& [lower, upper] : {std::pair(0., 0.),
                                     {1., 1 + 0x1p-52},
                                     {-1e300, 1e300},
                                     {-most, most},
                                     {0., least},
                                     {-least, 300 * least},
                                     {1e15, 1e15 + 1000},
                                     {-0x1p53, 0x1p53},
                                     {0x1p53 - 500, 0x1p53},
                                     {.5, 1000.7},
                                     {-36'525., 36'525.}}) {
    for (const bool whole : {false, true}) {
      if (whole && upper > 0x1p63) continue;
      TreeCase of;
      of.columns = {{.lower = lower, .upper = upper, .whole = whole}, sort};
      for (const double epsilon : {.1, 10.}) {
        of.epsilon = epsilon;
        std::vector<TreeRow> rows = some_rows(random, 1000, 1, 2);
        for (std::size_t r = 0; r < 600; ++r) {
          rows[r].x[0] = r % 3 == 0   ? lower
                         : r % 3 == 1 ? upper
                                      : std::lerp(lower, upper, .5 + (r % 2 == 0 ? 0 : .1));
          if (whole) rows[r].x[0] = std::floor(rows[r].x[0]);
        }
        const TreeRelease release = test::released(stream, of, of.plan(), rows);
        ASSERT_NO_FATAL_FAILURE(expect_valid(release.model())) << lower << " " << upper;
      }
    }
  }
}

TEST(TreeRelease, LooksAtTailsAndIntoFullCellsInAPassOfItsOwn) {
  RandomStream stream({34});
  TreeCase of;
  of.columns = {wage, sort};
  of.epsilon = 5;
  const auto passes = [&](const std::vector<TreeRow>& rows) {
    TreeRelease release(of.plan(), 1, of.columns, of.bins);
    int count = 0;
    for (; release.next() != nullptr; ++count) {
      release.take(stream, test::exact_counts(*release.next(), rows));
    }
    return std::pair(count, release.model());
  };
  std::vector<TreeRow> rows;
  std::mt19937_64 random(35);
  for (int i = 0; i < 4000; ++i) {
    const double x = static_cast<double>(random() % 1'000'000) / 100;
    rows.push_back({0, {x, static_cast<double>(random() % 5)}});
  }
  EXPECT_EQ(passes(rows).first, 4);  // fine counts, tails, columns, pairs
  for (int i = 0; i < 2000; ++i) rows.push_back({0, {712.25, 1}});
  const auto [count, model] = passes(rows);
  EXPECT_EQ(count, 4);
  const ColumnCells& cells = model.columns[0].cells;
  EXPECT_EQ(model.columns[0].low(cells.cell(712.25)), 712.25);
  of.bins = Bins::equal;
  EXPECT_EQ(passes(rows).first, 2);
  of.columns = {sort};
  for (TreeRow& row : rows) row.x = {1};
  EXPECT_EQ(passes(rows).first, 1);
}

TEST(TreeRelease, FindsTheDependenceThatIsThere) {
  RandomStream stream({36});
  std::mt19937_64 random(37);
  TreeCase of;
  of.classes = 2;
  of.columns = {sort, sort, sort, sort};
  of.epsilon = 2;
  std::vector<TreeRow> rows;
  for (int i = 0; i < 20'000; ++i) {  // 2 follows 0, 3 follows 1, within classes
    TreeRow row;
    row.k = i % 2;
    for (int j = 0; j < 2; ++j) row.x.push_back(static_cast<double>(random() % 5));
    for (std::size_t j = 0; j < 2; ++j) {
      row.x.push_back(random() % 4 == 0 ? static_cast<double>(random() % 5)
                                        : std::fmod(row.x[j] + row.k, 5));
    }
    rows.push_back(std::move(row));
  }
  const TreeModel model = test::released(stream, of, of.plan(), rows).model();
  EXPECT_TRUE(model.graph().joined(0, 2));
  EXPECT_TRUE(model.graph().joined(1, 3));
  const std::vector<double> pair = model.tables.pair(0, 2);
  const int codes = model.tables.codes[0];
  for (int k = 0; k < 2; ++k) {
    for (int v = 0; v < 5; ++v) {
      // 2 000 rows of each class have this value, 1 600 of them the one that follows it.
      const int a = model.columns[0].cells.code_of(v);
      const int b = model.columns[2].cells.code_of((v + k) % 5);
      EXPECT_NEAR(pair[static_cast<std::size_t>((k * codes + a) * model.tables.codes[2] + b)], 1600,
                  150);
    }
  }
}

TEST(TreeRelease, TakesItsOwnPlanAndCountsOnly) {
  TreeCase of;
  of.columns = {wage, sort, sort};
  const TreePlan plan = of.plan();
  EXPECT_THROW(TreeRelease(plan, 1, {wage, sort}, of.bins), std::logic_error);
  EXPECT_THROW(TreeRelease(plan, 1, {wage, wage, sort}, of.bins), std::logic_error);
  EXPECT_THROW(TreeRelease(plan, 1, of.columns, Bins::equal), std::logic_error);
  TreeRelease release(plan, 1, of.columns, of.bins);
  RandomStream stream({38});
  const std::vector<std::int64_t> few(3);
  EXPECT_THROW(release.take(stream, few), std::logic_error);
}

// Refused before a pass where it cannot do, and done where it can: bins are fewer.
TEST(TreeRelease, TablesOfSingleColumnsFit) {
  TreeCase of;
  of.classes = 1000;
  of.columns.assign(99, wage);
  of.columns.push_back({.categories = 200});
  EXPECT_THROW(TreeRelease(of.plan(), 1000, of.columns, of.bins), Error);
  of.columns.assign(40, wage);
  of.epsilon = 1e4;
  std::vector<TreeRow> rows;
  std::mt19937_64 random(39);
  for (int i = 0; i < 3000; ++i) {
    rows.push_back({i % 1000, std::vector<double>(40, static_cast<double>(random() % 10'000))});
  }
  RandomStream stream({40});
  TreeRelease release(of.plan(), 1000, of.columns, of.bins);
  for (int pass = 0; pass < 2 && release.next()->tables() <= 40; ++pass) {
    release.take(stream, test::exact_counts(*release.next(), rows));
  }
  EXPECT_LE(release.next()->cells(), MarginalTables::most_cells);
  of.columns.assign(2, {.categories = 600'000});
  EXPECT_THROW(TreeRelease(of.plan(), 1000, of.columns, of.bins), Error);
}

}  // namespace
}  // namespace dpmix
