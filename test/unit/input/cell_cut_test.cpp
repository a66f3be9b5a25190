#include "core/input/cell_cut.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kHuge = std::numeric_limits<double>::max();

// Rows within the bounds are between the ends of their cells, and the ends are in their cells.
void check_cut(const CellCut& cut, double lower, double upper) {
  const CellPlacer placer = cell_placer(cut.lower(), cut.limit(), cut.cells());
  EXPECT_EQ(placer.place(-kInfinity), 0);
  EXPECT_EQ(placer.place(kInfinity), cut.cells() - 1);
  EXPECT_EQ(placer.place(lower), 0);
  EXPECT_EQ(cut.first(0), lower);
  EXPECT_EQ(cut.last(cut.cells() - 1), upper);
  double before = lower;
  for (int cell = 0; cell<cut.cells(); cell += cut.cells()> 300 ? 61 : 1) {
    const double first = cut.first(cell), last = cut.last(cell);
    ASSERT_LE(before, first);
    ASSERT_LE(first, cut.middle(cell));
    ASSERT_LE(cut.middle(cell), last);
    ASSERT_LE(lower, first);
    ASSERT_LE(last, upper);
    if (placer.place(upper) >= cell) {
      ASSERT_GE(placer.place(first), cell);
    }
    if (first > lower) {
      ASSERT_LT(placer.place(std::nextafter(first, -kInfinity)), cell) << first;
    }
    if (last < upper) {
      ASSERT_GT(placer.place(last), cell);
    }
    for (double row : {first, last, std::nextafter(last, kInfinity), std::midpoint(first, last)}) {
      if (row > upper) continue;
      ASSERT_LE(cut.first(placer.place(row)), row);
      ASSERT_GE(cut.last(placer.place(row)), row);
    }
    before = first;
  }
}

TEST(CellCut, EveryDoubleIsBetweenTheEndsOfItsCell) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::uniform_int_distribution<int> exponent(-1074, 1023);
  for (int trial = 0; trial < 1000; ++trial) {
    double lower = std::ldexp(unit(random), exponent(random));
    double upper = std::ldexp(unit(random), exponent(random));
    if (trial % 3 == 0) upper = std::nextafter(lower, kHuge);
    if (trial % 7 == 0) upper = lower + std::abs(lower) * 1e-13;
    if (lower > upper) std::swap(lower, upper);
    if (lower == upper) continue;
    for (int cells : {1, 16, 4096}) check_cut(CellCut(lower, upper, false, cells), lower, upper);
  }
  check_cut(CellCut(-kHuge, kHuge, false, 256), -kHuge, kHuge);
  check_cut(CellCut(0, 1e5, false, 4096), 0, 1e5);
}

TEST(CellCut, WholeNumbersHaveCellsOfTheirOwnWhereThereAreFew) {
  const CellCut ages(-3, 96, true, 4096);
  EXPECT_EQ(ages.cells(), 100);
  EXPECT_TRUE(ages.exact());
  const CellPlacer placer = cell_placer(ages.lower(), ages.limit(), ages.cells());
  for (int age = -3; age <= 96; ++age) {
    EXPECT_EQ(placer.place(age), age + 3);
    EXPECT_EQ(ages.first(age + 3), age);
    EXPECT_EQ(ages.last(age + 3), age);
    EXPECT_EQ(ages.middle(age + 3), age);
  }
  EXPECT_EQ(placer.place(97), 99);
}

TEST(CellCut, ManyWholeNumbersShareCellsByPowersOfTwo) {
  for (auto [lower, upper] : {std::pair{0.0, 1e6}, {-7.0, 5000.0}, {-0x1p52, 0x1p52}}) {
    const CellCut cut(lower, upper, true, 4096);
    EXPECT_FALSE(cut.exact());
    EXPECT_LE(cut.cells(), 4096);
    EXPECT_GT(cut.cells(), 2000);
    const CellPlacer placer = cell_placer(cut.lower(), cut.limit(), cut.cells());
    for (int cell = 0; cell < cut.cells(); ++cell) {
      ASSERT_EQ(placer.place(cut.first(cell)), cell);
      ASSERT_EQ(placer.place(cut.last(cell)), cell);
      ASSERT_EQ(cut.first(cell), std::floor(cut.first(cell)));
      if (cell > 0) {
        ASSERT_EQ(cut.last(cell - 1) + 1, cut.first(cell));
      }
    }
  }
}

TEST(CellCut, BadBoundsAreRefused) {
  EXPECT_THROW(CellCut(1, 1, false, 16), Error);
  EXPECT_THROW(CellCut(0, kInfinity, true, 16), Error);
  EXPECT_THROW(cell_placer(0, 1, 0), Error);
  EXPECT_THROW(cell_placer(0, 1, (1 << 20) + 1), Error);
  EXPECT_THROW(cell_placer(std::nan(""), 1, 4), Error);
}

}  // namespace
}  // namespace dpmix
