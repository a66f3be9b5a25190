#include "core/stats/lattice_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace dpmix {
namespace {

LatticeSum sum_of(const std::vector<double>& values, const Lattice& lattice) {
  LatticeSum sum;
  sum.lattice = lattice;
  for (double x : values) sum.add(x);
  return sum;
}

TEST(LatticeSum, OrderAndSplitDoNotMatter) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, 1e3);
  const Lattice lattice = centred_lattice(-2e3, 1e3, false);
  std::vector<double> values = {std::nan(""), std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity()};
  for (int i = 0; i < 5000; ++i) values.push_back(normal(random));
  const LatticeSum whole = sum_of(values, lattice);
  EXPECT_EQ(whole.count, 5002);
  for (int trial = 0; trial < 20; ++trial) {
    std::shuffle(values.begin(), values.end(), random);
    const auto cut = values.begin() + static_cast<std::ptrdiff_t>(random() % values.size());
    LatticeSum merged;  // blank, as an aggregate starts
    EXPECT_TRUE(merged.merge(sum_of({values.begin(), cut}, lattice)));
    EXPECT_TRUE(merged.merge(LatticeSum()));
    EXPECT_TRUE(merged.merge(sum_of({cut, values.end()}, lattice)));
    EXPECT_EQ(merged.to_text(), whole.to_text());
  }
}

TEST(LatticeSum, TextIsExact) {
  const Lattice lattice{-0.1, 1.0 / 3, -(1 << 30), 1 << 30};
  LatticeSum sum = sum_of({1, 2, 3e9, -7.25}, lattice);
  sum.total *= std::int64_t{1} << 28;  // beyond 64 bits, still a possible sum
  sum.count = std::int64_t{1} << 40;
  const auto read = LatticeSum::from_text(sum.to_text());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->lattice, sum.lattice);
  EXPECT_EQ(read->count, sum.count);
  EXPECT_TRUE(read->total == sum.total);
  EXPECT_TRUE(LatticeSum::from_text(LatticeSum().to_text())->blank());
  EXPECT_EQ(LatticeSum::from_text("(1,0,-0,1,-1,1)")->to_text(), "(1,0,0,1,-1,1)");
}

TEST(LatticeSum, RefusesWhatRowsCannotMake) {
  EXPECT_TRUE(LatticeSum::from_text("(2,6,0,1,1,3)"));
  for (const char* text : {"",
                           "()",
                           "2,6,0,1,1,3",
                           "(2,7,0,1,1,3)",
                           "(2,1,0,1,1,3)",
                           "(-1,0,0,1,-1,1)",
                           "(0,1,0,1,1,3)",
                           "(2,6,0,1,1)",
                           "(2,6,0,1,1,3,4)",
                           "(2,6,0,1,1,3",
                           "(2,6, 0,1,1,3)",
                           "(2,6,0,1,1,3x)",
                           "(2,6,nan,1,1,3)",
                           "(2,6,inf,1,1,3)",
                           "(2,6,0,0,1,3)",
                           "(2,6,0,-1,1,3)",
                           "(2,6,0,1,3,1)",
                           "(1,0,0,0,0,0)",
                           "(2,6,0,1,1,9007199254740993)",
                           "(4611686018427387905,0,0,1,-1,1)",
                           "(9223372036854775808,0,0,1,-1,1)",
                           "(2,170141183460469231731687303715884105728,0,1,1,3)"}) {
    EXPECT_FALSE(LatticeSum::from_text(text)) << text;
  }
}

TEST(LatticeSum, RefusesToMergeWhatDiffersAndLeavesItAlone) {
  LatticeSum sum = sum_of({1, 2}, {0, 1, 0, 9});
  const std::string before = sum.to_text();
  EXPECT_FALSE(sum.merge(sum_of({1}, {0, 1, 0, 10})));
  EXPECT_FALSE(sum.merge(sum_of({1}, {0, .5, 0, 9})));
  EXPECT_FALSE(sum.merge(*LatticeSum::from_text("(4611686018427387904,0,0,1,0,9)")));
  LatticeSum forged = sum;
  forged.total = 19;
  EXPECT_FALSE(sum.merge(forged));
  EXPECT_FALSE(forged.merge(sum));
  EXPECT_EQ(sum.to_text(), before);
}

// The largest counts and indices together stay far inside 128 bits.
TEST(LatticeSum, LargestSumDoesNotOverflow) {
  LatticeSum sum;
  sum.lattice = {0, 1, -Lattice::max_index, Lattice::max_index};
  sum.count = LatticeSum::max_count / 2;
  sum.total = static_cast<Int128>(sum.count) * Lattice::max_index;
  const LatticeSum half = sum;
  ASSERT_TRUE(sum.merge(half));
  EXPECT_TRUE(sum.plausible());
  EXPECT_TRUE(sum.total == (static_cast<Int128>(1) << 115));
  EXPECT_FALSE(sum.merge(half));
}

}  // namespace
}  // namespace dpmix
