#include "core/tree_model/edge_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace dpmix {
namespace {

using Counts = std::vector<std::int64_t>;

// Half of what noise of this deviation puts into so many cells.
std::int64_t penalty(double cells, double stddev) {
  return std::llround(.5 * std::sqrt(2 / std::numbers::pi) * cells * stddev);
}

TEST(EdgeScore, HandComputed) {
  const Counts exact = {5, 0, 2, 1};  // two classes of two cells
  const std::vector<double> expected = {3.4, .6, 2.5, -7};
  // |5-3| + |0-1| + |2-3| + |1+7|
  EXPECT_EQ(edge_score(exact, expected, 2, true, 0), 12);
  // |7 - round(5.9)| + |1 - round(-6.4)|
  EXPECT_EQ(edge_score(exact, expected, 2, false, 0), 8);
  EXPECT_EQ(edge_score(exact, expected, 2, true, 100), 12 - penalty(4, 100));
  EXPECT_EQ(edge_score(exact, expected, 2, false, 100), 8 - penalty(2, 100));
}

// Where the released numbers are extreme the score is still an integer that a row moves by 1.
TEST(EdgeScore, MovesByAtMostOneHoweverWildTheExpectedRows) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double wild[] = {0,        .5,        -.5,          1.5,    2.5,    1e300,       -1e300,
                         infinity, -infinity, std::nan(""), 5e-324, 0x1p40, 0x1p40 - .5, -0x1p40,
                         0x1p62,   3};
  std::mt19937_64 random(4);
  for (int round = 0; round < 20'000; ++round) {
    const int classes = 1 + static_cast<int>(random() % 3);
    const std::size_t cells = static_cast<std::size_t>(classes) * (1 + random() % 4);
    Counts exact(cells);
    std::vector<double> expected(cells);
    for (std::size_t i = 0; i < cells; ++i) {
      exact[i] = static_cast<std::int64_t>(random() % 4);
      if (random() % 8 == 0) exact[i] = std::int64_t{1} << 40;
      expected[i] = wild[random() % std::size(wild)];
    }
    const double stddev = random() % 5 == 0 ? 0x1p90 : 3;
    Counts more = exact;
    ++more[random() % cells];
    for (const bool by_class : {true, false}) {
      const std::int64_t moved = edge_score(more, expected, classes, by_class, stddev) -
                                 edge_score(exact, expected, classes, by_class, stddev);
      ASSERT_LE(std::abs(moved), 1);
      ASSERT_EQ(std::abs(moved) % 2, 1);  // each row is on one side of what is expected
    }
  }
}

}  // namespace
}  // namespace dpmix
