#include "core/tree_model/tails.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/index.hpp"

namespace dpmix {
namespace {

std::vector<double> below_of(const std::vector<double>& rows) {
  std::vector<double> below = {0};
  for (const double r : rows) below.push_back(below.back() + r);
  return below;
}

// Every cell before and after the middle is in one shell, the wider the farther.
TEST(Tails, AreShellsAroundMostRows) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const int cells = 1 + static_cast<int>(random() % 4097);
    std::vector<double> rows(index(cells), 0.);
    const int from = static_cast<int>(random() % index(cells)),
              to = from + 1 + static_cast<int>(random() % index(cells - from));
    for (int i = from; i < to; ++i) rows[index(i)] = 1e6;
    const int near = from + static_cast<int>(random() % index(to - from));
    const Tails tails = find_tails(below_of(rows), 1, {near, near + 1});
    int at = 0;
    for (const CellSpan& shell : tails.low) {
      EXPECT_EQ(shell.from, at);
      EXPECT_LT(shell.from, shell.to);
      at = shell.to;
    }
    EXPECT_EQ(at, from);
    at = cells;
    for (const CellSpan& shell : tails.high) {
      EXPECT_EQ(shell.to, at);
      EXPECT_LT(shell.from, shell.to);
      at = shell.from;
    }
    EXPECT_EQ(at, to);
    for (std::size_t s = 2; s < tails.low.size(); ++s) {  // the outermost takes what is left
      EXPECT_LE(tails.low[s].to - tails.low[s].from, tails.low[s - 1].to - tails.low[s - 1].from);
    }
    EXPECT_LE(tails.size(), 30u);
  }
}

TEST(Tails, AreNoneWhereRowsAreFew) {
  const std::vector<double> rows(4096, .005);
  EXPECT_EQ(find_tails(below_of(rows), 1, {4096, 0}).size(), 0u);
  EXPECT_EQ(find_tails(below_of({}), 1, {0, 0}).size(), 0u);
}

// What noise put far away is gone, what is there stays, and no row is counted twice.
TEST(Tails, ShowWhatTheirCountsShow) {
  std::vector<double> rows(1000, 1.);  // of noise, each
  for (std::size_t i = 400; i < 500; ++i) rows[i] = 1e4;
  const std::vector<double> below = below_of(rows);
  const Tails tails = find_tails(below, 60, {1000, 0});
  ASSERT_GT(tails.low.size(), 2u);
  ASSERT_GT(tails.high.size(), 2u);
  std::vector<double> counts(tails.size(), 2.);
  counts[tails.low.size()] = 700;  // the highest cells
  const std::vector<double> corrected = with_tails(below, tails, counts, 60);
  ASSERT_EQ(corrected.size(), below.size());
  const CellSpan first = tails.low.back(), last = tails.high.back(), far = tails.high.front();
  EXPECT_EQ(corrected[index(tails.low.front().to)], 0);
  EXPECT_NEAR(corrected[index(last.from)] - corrected[index(first.to)],
              below[index(last.from)] - below[index(first.to)], 1e-6);
  EXPECT_NEAR(corrected[index(far.to)] - corrected[index(far.from)], 700, 1e-6);
  for (std::size_t i = 1; i < corrected.size(); ++i) EXPECT_GE(corrected[i], corrected[i - 1]);
}

// Shells that show nothing by themselves may do so together: then their rows are in the innermost.
TEST(Tails, PoolFaintShells) {
  std::vector<double> rows(1000, 0.);
  for (std::size_t i = 0; i < 100; ++i) rows[i] = 1e4;
  const Tails tails = find_tails(below_of(rows), 1, {1000, 0});
  ASSERT_EQ(tails.low.size(), 0u);
  ASSERT_GT(tails.high.size(), 3u);
  const std::vector<double> counts(tails.size(), 3.);  // deviations: 3, 4.2 of two
  const std::vector<double> corrected = with_tails(below_of(rows), tails, counts, 1);
  EXPECT_EQ(corrected[index(tails.high[0].to)] - corrected[index(tails.high[0].from)], 0);
  EXPECT_NEAR(corrected[index(tails.high[1].to)] - corrected[index(tails.high[1].from)], 6, 1e-6);
}

}  // namespace
}  // namespace dpmix
