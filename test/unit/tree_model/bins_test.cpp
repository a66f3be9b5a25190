#include "core/tree_model/bins.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "core/base/next_double.hpp"

namespace dpmix {
namespace {

using Numbers = std::vector<double>;

Numbers counts_of(const ColumnCells& cells, const Numbers& values) {
  Numbers counts(static_cast<std::size_t>(cells.codes()));
  for (const double x : values) ++counts[static_cast<std::size_t>(cells.code_of(x))];
  return counts;
}

CellDistribution distribution(Numbers counts, double noise = 0) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 1);
  CellDistribution rows = {{}, 0, 0};
  counts.pop_back();  // missing
  for (const double count : counts) {
    rows.total += count + noise * normal(random);
    rows.below.push_back(rows.total);
  }
  return rows;
}

struct Binning {
  CutColumn fine, column;
  std::vector<Spike> spikes;
};

Binning binned(const ColumnValues& of, const Numbers& values, int bins, double noise = 1) {
  const CutColumn fine = cut_column(of, fine_cells);
  const CellDistribution rows = distribution(counts_of(fine.cells, values));
  const Zoom zoom(fine, rows, noise);
  zoom.cells().check();
  const Numbers counts = zoom.empty() ? Numbers{} : counts_of(zoom.cells(), values);
  const std::vector<Spike> spikes = zoom.spikes(counts, noise);
  return {fine, bin_column(fine, rows, spikes, bins, noise), spikes};
}

Numbers uniform(double lower, double upper, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> law(lower, upper);
  Numbers values(count);
  for (double& x : values) x = law(random);
  return values;
}

TEST(Bins, HaveEqualNumbersOfRows) {
  for (const int bins : {4, 10, 32}) {
    Numbers values = uniform(0, 1000, 40'000, 8);
    for (double& x : values) x = x * x / 1000;  // skewed
    const CutColumn column = binned({.lower = 0, .upper = 1000}, values, bins).column;
    column.cells.check();
    Numbers rows = counts_of(column.cells, values);
    rows.pop_back();  // missing
    const double share = 40'000. / bins;
    EXPECT_NEAR(static_cast<double>(rows.size()), bins, .35 * bins);
    const double most = *std::max_element(rows.begin(), rows.end());
    EXPECT_LT(most, 1.7 * share);  // the last cells near 0 hold hundreds
  }
}

TEST(Bins, FindSpikesExactly) {
  Numbers values = uniform(0, 19'999, 5000, 9);
  const std::pair<double, int> at[] = {{712.25, 2000}, {0, 900}, {20'000, 500}, {1e4 / 3, 50}};
  for (const auto& [value, count] : at) {
    values.insert(values.end(), static_cast<std::size_t>(count), value);
  }
  const Binning made = binned({.lower = 0, .upper = 20'000}, values, 16);
  Numbers found;
  for (const Spike& spike : made.spikes) found.push_back(spike.value);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0], 0);
  EXPECT_EQ(found[1], 712.25);
  EXPECT_NEAR(found[2], 1e4 / 3, .01);  // has no short decimal
  EXPECT_EQ(found[3], 20'000);
  for (const double value : {0., 712.25, 20'000.}) {
    const int cell = made.column.cells.cell(value);
    EXPECT_EQ(made.column.low(cell), value);
    EXPECT_LE(made.column.high(cell), next_up(value));
  }
  const auto of = static_cast<std::size_t>(made.column.cells.cell(712.25));
  EXPECT_NEAR(made.column.weight[of], 2000, 5);
}

TEST(Bins, FindSpikesOfWideWholeNumbers) {
  std::mt19937_64 random(10);
  Numbers values;
  for (int i = 0; i < 3000; ++i) values.push_back(static_cast<double>(random() % 1'000'000'000));
  values.insert(values.end(), 2000, 50'000);
  values.insert(values.end(), 2000, 123'000'000);
  const Binning made = binned({.lower = 0, .upper = 1e9, .whole = true}, values, 16);
  ASSERT_EQ(made.spikes.size(), 2U);
  EXPECT_EQ(made.spikes[0].value, 50'000);
  EXPECT_EQ(made.spikes[1].value, 123'000'000);
  const int cell = made.column.cells.cell(50'000);
  EXPECT_EQ(made.column.low(cell), 49'999.5);
  EXPECT_EQ(made.column.high(cell), 50'000.5);
}

TEST(Bins, ACellWithTheRowsOfABinStaysAlone) {
  Numbers values = uniform(0, 409.6, 4000, 11);
  const Numbers full = uniform(100.01, 100.09, 3000, 12);  // one of 4096 cells, no spike in it
  values.insert(values.end(), full.begin(), full.end());
  const Binning made = binned({.lower = 0, .upper = 409.6}, values, 8);
  EXPECT_TRUE(made.spikes.empty());
  const CutColumn& column = made.column;
  const int code = column.cells.code_of(100.05);
  EXPECT_NE(column.cells.code_of(99.9), code);
  EXPECT_NE(column.cells.code_of(100.2), code);
}

TEST(Bins, NoRowsMakeOneBin) {
  const Binning made = binned({.lower = 0, .upper = 1}, {}, 4);
  EXPECT_TRUE(made.spikes.empty());
  EXPECT_EQ(made.column.cells.codes(), 2);  // with missing values
  EXPECT_TRUE(made.column.cells.edges.empty());
}

TEST(Zoom, StaysWithinTheCellsOfItsPass) {
  const CutColumn fine = cut_column({.lower = 0, .upper = 1}, fine_cells);
  CellDistribution rows = {{}, 0, 0};
  for (int i = 0; i + 1 < fine.cells.cells(); ++i) rows.below.push_back(rows.total += 1e6);
  for (const int columns : {1, 15, 16, 17, 100}) {
    const Zoom zoom(fine, rows, 1, columns);
    EXPECT_FALSE(zoom.empty());
    EXPECT_LE(1. * columns * zoom.cells().codes(), MarginalTables::most_cells);
    EXPECT_NO_THROW(MarginalTables(
        1, std::vector<ColumnCells>(static_cast<std::size_t>(columns), zoom.cells()), [&] {
          std::vector<MarginalTable> tables;
          for (int i = 0; i < columns; ++i) tables.push_back({i, -1, false});
          return tables;
        }()));
  }
}

// Bounds of every kind, counts full of noise: what comes out is a column that can be counted.
TEST(Bins, MakeAColumnOfAnyBounds) {
  constexpr double most = std::numeric_limits<double>::max();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const ColumnValues all[] = {{.lower = 0, .upper = 0},
                              {.lower = 1, .upper = next_up(1)},
                              {.lower = -1e300, .upper = 1e300},
                              {.lower = -most, .upper = most},
                              {.lower = most / 2, .upper = most},
                              {.lower = -most, .upper = -most},
                              {.lower = 0, .upper = least},
                              {.lower = -least, .upper = 300 * least},
                              {.lower = 1e-310, .upper = 1e-300},
                              {.lower = 1e15, .upper = 1e15 + 1000},
                              {.lower = -1e15 - 3, .upper = -1e15},
                              {.lower = 0, .upper = 1e-3},
                              {.lower = -36'525, .upper = 36'525, .whole = true},
                              {.lower = .5, .upper = 1000.7, .whole = true},
                              {.lower = .2, .upper = .8, .whole = true},
                              {.lower = -0x1p53, .upper = 0x1p53, .whole = true},
                              {.lower = 0x1p53 - 500, .upper = 0x1p53, .whole = true},
                              {.lower = 0x1p53, .upper = 0x1p53 + 1000, .whole = true},
                              {.lower = -0x1p63, .upper = 0x1p63, .whole = true}};
  std::mt19937_64 random(13);
  std::normal_distribution<double> normal;
  for (const ColumnValues& of : all) {
    for (int round = 0; round < 60; ++round) {
      const double noise = std::pow(10., static_cast<int>(random() % 20) - 3);
      const double peak = noise * std::pow(10., static_cast<int>(random() % 4));
      const CutColumn fine = cut_column(of, fine_cells);
      CellDistribution rows = {{}, 0, 0};
      for (int i = 0; i + 1 < fine.cells.cells(); ++i) {
        rows.total += noise * normal(random) + (random() % 64 == 0 ? peak : 0);
        rows.below.push_back(rows.total);
      }
      const Zoom zoom(fine, rows, noise, round % 2 == 0 ? 1 : 100);
      zoom.cells().check();
      Numbers counts(static_cast<std::size_t>(zoom.cells().codes()));
      for (double& c : counts) c = noise * normal(random) + (random() % 64 == 0 ? 3 * peak : 0);
      const std::vector<Spike> spikes = zoom.spikes(counts, noise);
      for (const Spike& spike : spikes) {
        ASSERT_GE(spike.value, std::floor(of.lower));
        ASSERT_LE(spike.value, std::ceil(of.upper));
      }
      const int bins = 4 + static_cast<int>(random() % 29);
      const CutColumn column = bin_column(fine, rows, spikes, bins, noise);
      ASSERT_NO_THROW(column.cells.check()) << of.lower << " " << of.upper << " " << round;
      ASSERT_LE(column.cells.codes(), 2 * bins + 2);
      ASSERT_EQ(column.weight.size(), column.cells.code.size());
      for (const double w : column.weight)
        ASSERT_TRUE(std::isfinite(w) && w >= 0) << w << " of " << of.lower << " " << of.upper;
    }
  }
}

}  // namespace
}  // namespace dpmix
