// Every row is in one cell of each table; which one, by hand.
#include "core/input/pair_shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/error.hpp"

namespace dpmix::test {
namespace {

std::vector<std::int64_t> counted(const PairShape& shape,
                                  const std::vector<std::vector<double>>& rows) {
  const std::vector<double> packed = shape.pack();
  std::vector<CellPlacer> placers(shape.columns.size());
  const PairCounter counter(packed, placers.data());
  EXPECT_EQ(counter.columns(), static_cast<int>(shape.columns.size()));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(counter.bins()));
  for (const auto& row : rows) counter.add(row.data(), counts.data());
  return counts;
}

// A number in two halves of [0, 10], and a category of three.
const PairShape small{{{0, 10, 2}, {-.5, 2.5, 3}}, true, true, {}};
const std::vector<std::vector<double>> rows = {{1, 0},   {4.9, 2},    {5, 2},     {1e9, 1},
                                               {NAN, 1}, {-1e9, NAN}, {NAN, NAN}, {7, 2}};

TEST(PairShape, CountsByHand) {
  EXPECT_EQ(small.bins(), 3 + 4 + 12);
  EXPECT_EQ(counted(small, rows),
            (std::vector<std::int64_t>{3, 3, 2,     // halves, missing
                                       1, 2, 3, 2,  // categories, missing
                                       1, 0, 1, 1, 0, 1, 2, 0, 0, 1, 0, 1}));  // both
  PairShape alone = small;
  alone.pairs = false;
  EXPECT_EQ(counted(alone, rows), (std::vector<std::int64_t>{3, 3, 2, 1, 2, 3, 2}));
}

TEST(PairShape, AClassifierSumsItsScores) {
  // Classes are the three categories. Low numbers speak for the first, high ones for the last,
  // missing ones leave it to the class's own score, equal for the first two: the first has it.
  PairShape shape = small;
  shape.scores = {-1, -1, -2, 0, -5, -9, -9, -5, 0, 0, 0, 0};
  EXPECT_EQ(shape.score_count(), 12u);
  const auto counts = counted(shape, rows);
  // Known classes: low as 0 (right), low as 2 (wrong), high as 2 (right), high as 1 (wrong),
  // missing as 1 (wrong: the first has it), high as 2 (right).
  EXPECT_EQ(counts[19], 3);
  EXPECT_EQ(counts[20], 3);
  shape.singles = shape.pairs = false;
  EXPECT_EQ(counted(shape, rows), (std::vector<std::int64_t>{3, 3}));
}

TEST(PairShape, EachRowIsInOneCellOfEachTable) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    PairShape shape;
    for (std::size_t j = 1 + random() % 5; j > 0; --j) {
      const double lower = static_cast<double>(random() % 7) - 3;
      shape.columns.push_back({lower, lower + 1 + static_cast<double>(random() % 9),
                               1 + static_cast<int>(random() % 6)});
    }
    const auto any = [&] {
      const double values[] = {
          NAN, -HUGE_VAL, HUGE_VAL, 0,
          -0., 1e308,     -1e308,   static_cast<double>(random() % 100) / 9 - 4};
      return values[random() % std::size(values)];
    };
    std::vector<double> row;
    for (std::size_t j = 0; j < shape.columns.size(); ++j) row.push_back(any());
    const auto counts = counted(shape, {row});
    int end = 0;
    for (const PairCells& table : shape.tables()) {
      EXPECT_EQ(table.first, end);
      end += table.cells;
      std::int64_t sum = 0;
      for (int i = table.first; i < end; ++i) sum += counts[static_cast<std::size_t>(i)];
      EXPECT_EQ(sum, 1);
    }
    EXPECT_EQ(end, shape.bins());
  }
}

TEST(PairShape, IsReadAsItWasPacked) {
  PairShape shape = small;
  shape.scores.assign(shape.score_count(), -3);
  const PairShape read = PairShape::unpack(shape.pack());
  EXPECT_EQ(read.pack(), shape.pack());
  EXPECT_EQ(read.bins(), shape.bins());
  const std::vector<std::vector<double>> broken = {
      {},
      {0, 1, 1},
      {1601, 1, 1},
      {1.5, 1, 1},
      {1, 2, 1, 0, 1, 2},
      {1, 1, NAN, 0, 1, 2},
      {1, 1, 1, 0, 1},
      {1, 1, 1, 0, 1, 0},
      {1, 1, 1, 0, 1, 2, 7},      // scores: one column has two classes, so there would be two
      {1, 1, 1, 0, 1, 2, .5, 0},  // no whole number
      {1, 0, 0, 0, 1, 2},         // nothing to count
      {1, 1, 1, 0, 1, 1 << 20},
      {2, 0, 1, 0, 1, 1024, 0, 1, 1024},
  };
  for (const auto& packed : broken) EXPECT_THROW(PairShape::unpack(packed), Error);
  const std::vector<double> backwards = {1, 1, 1, 1, 0, 2};
  CellPlacer placer;
  EXPECT_THROW(PairCounter(backwards, &placer), Error);
}

}  // namespace
}  // namespace dpmix::test
