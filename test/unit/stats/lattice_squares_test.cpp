#include "core/stats/lattice_squares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace dpmix {
namespace {

LatticeSquares squares_of(const std::vector<double>& values, const Lattice& lattice) {
  LatticeSquares state;
  state.sum.lattice = lattice;
  for (const double x : values) state.add(x);
  return state;
}

TEST(LatticeSquares, OrderAndSplitDoNotMatter) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, 1e3);
  const Lattice lattice = centred_lattice(-2e3, 1e3, false);
  std::vector<double> values = {std::nan(""), std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity()};
  for (int i = 0; i < 2000; ++i) values.push_back(normal(random));
  const LatticeSquares whole = squares_of(values, lattice);
  EXPECT_EQ(whole.sum.count, 2002);
  for (int trial = 0; trial < 20; ++trial) {
    std::shuffle(values.begin(), values.end(), random);
    const auto cut = values.begin() + static_cast<std::ptrdiff_t>(random() % values.size());
    LatticeSquares merged;  // blank, as an aggregate starts
    EXPECT_TRUE(merged.merge(squares_of({values.begin(), cut}, lattice)));
    EXPECT_TRUE(merged.merge(LatticeSquares()));
    EXPECT_TRUE(merged.merge(squares_of({cut, values.end()}, lattice)));
    EXPECT_EQ(merged.to_text(), whole.to_text());
  }
}

TEST(LatticeSquares, AreSumsOfTheRowsOwnIntegers) {
  const Lattice lattice = centred_lattice(0, 10, true);  // -5..5
  const LatticeSquares state = squares_of({0, 3, 5, 9, 42, std::nan("")}, lattice);
  EXPECT_EQ(state.sum.count, 5);
  EXPECT_TRUE(state.sum.total == -5 - 2 + 0 + 4 + 5);
  EXPECT_TRUE(state.squares == 2 * (25 + 4 + 0 + 16 + 25) - 5 * 25);
  EXPECT_EQ(state.to_text(), "(15,5,2,5,1,-5,5)");
  EXPECT_EQ(LatticeSquares::from_text(state.to_text())->to_text(), state.to_text());
  EXPECT_TRUE(LatticeSquares::from_text(LatticeSquares().to_text())->blank());
}

TEST(LatticeSquares, RefuseWhatRowsCannotMake) {
  EXPECT_TRUE(LatticeSquares::from_text("(25,1,5,5,1,-5,5)"));
  for (const char* text : {"", "()", "(", ",", "(,1,5,5,1,-5,5)", "(26,1,5,5,1,-5,5)",
                           "(-26,1,5,5,1,-5,5)", "(25,1,5,5,1,-4,5)",  // not centred
                           "(25,1,6,5,1,-5,5)", "(1,0,0,0,0,0,0)", "(25,(1,5,5,1,-5,5)",
                           "(25,1,5,5,1,-5,5", "(25,1,5,5,1,-5)", "(2x,1,5,5,1,-5,5)"}) {
    EXPECT_FALSE(LatticeSquares::from_text(text)) << text;
  }
  LatticeSquares state = squares_of({1, 2}, {0, 1, -9, 9}), forged = state;
  const std::string before = state.to_text();
  EXPECT_FALSE(state.merge(squares_of({1}, {0, 1, -8, 8})));
  forged.squares = 2 * 81 + 1;
  EXPECT_FALSE(state.merge(forged));
  EXPECT_FALSE(forged.merge(state));
  EXPECT_EQ(state.to_text(), before);
}

TEST(LatticeSquares, LargestDoNotOverflow) {
  LatticeSquares state;
  state.sum.lattice = {0, 1, -Lattice::max_index, Lattice::max_index};
  state.sum.count = LatticeSum::max_count / 2;
  state.sum.total = static_cast<Int128>(state.sum.count) * Lattice::max_index;
  state.squares = state.sum.count * square_placer(Lattice::max_index).most();
  const LatticeSquares half = state;
  ASSERT_TRUE(state.merge(half));
  EXPECT_TRUE(state.plausible());
  EXPECT_TRUE(state.squares == (static_cast<Int128>(1) << 92));
}

}  // namespace
}  // namespace dpmix
