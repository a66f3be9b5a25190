// The mapping of weights: (15), (27), (28) as printed, and why it is not private.
#include "core/published/mixture_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "tables/mixture_tables.hpp"

namespace dpmix::test {
namespace {

double sum(const std::vector<double>& p) {
  return std::accumulate(p.begin(), p.end(), 0.);
}

TEST(PublishedWeights, AsPrinted) {
  const std::vector<int> rows{5, 1, 9};
  const double epsilon = .4;
  const PublishedWeights w = map_weights(rows, {1, -20, 3}, epsilon);
  // The second class keeps its row: four neighbours of six.
  ASSERT_EQ(w.outcome.size(), 5u);
  EXPECT_EQ(w.outcome[0], rows);
  EXPECT_EQ(std::set<std::vector<int>>(w.outcome.begin(), w.outcome.end()),
            (std::set<std::vector<int>>{{5, 1, 9}, {4, 2, 9}, {4, 1, 10}, {6, 1, 8}, {5, 2, 8}}));
  bool both[2] = {};
  for (std::size_t i = 0; i < 5; ++i) {
    const std::vector<int>& n = w.outcome[i];
    const double g = (n[0] * (std::log(n[0] / 5.) + 1) + n[1] * (std::log(n[1] / 1.) - 20) +
                      n[2] * (std::log(n[2] / 9.) + 3)) /
                     15;
    EXPECT_NEAR(w.divergence[i], g, 1e-12);
    both[g >= 0] = true;
    const double tilt = std::exp(g >= 0 ? epsilon : -epsilon);
    EXPECT_NEAR(w.probability[i], 1 / (1 + 4 * tilt), 1e-15);
    EXPECT_NEAR(w.elsewhere[i], tilt / (1 + 4 * tilt), 1e-15);
    EXPECT_NEAR(w.probability[i] + 4 * w.elsewhere[i], 1, 1e-14);  // rows sum to one, not columns
  }
  EXPECT_TRUE(both[0] && both[1]);
}

// Proposition 2 solves for rows that sum to one; what is drawn from is a column.
TEST(PublishedWeights, TheColumnIsNoDistribution) {
  const std::vector<int> rows{200, 200, 200, 200, 200};
  EXPECT_NEAR(sum(map_weights(rows, {1, 1, 1, 1, 1}, 1. / 3).probability), .73, .005);
  EXPECT_NEAR(sum(map_weights(rows, {-1, -1, -1, -1, -1}, 1. / 3).probability), 1.37, .005);
}

// Renormalised, neighbours still map to different outcomes: 13 of 21 cannot come from the other,
// so delta is at least .618 whatever epsilon; the smoothing of (16) leaves it there.
TEST(PublishedWeights, NeighboursHaveDifferentOutcomes) {
  const std::vector<int> rows{200, 200, 200, 200, 200}, neighbour{199, 201, 200, 200, 200};
  const PublishedWeights a = map_weights(rows, {1, 1, 1, 1, 1}, 1. / 3);
  const PublishedWeights b = map_weights(neighbour, {1, 1, 1, 1, 1}, 1. / 3);
  double only = 0;
  int shared = 0;
  for (std::size_t i = 0; i < a.outcome.size(); ++i) {
    if (std::find(b.outcome.begin(), b.outcome.end(), a.outcome[i]) != b.outcome.end()) {
      ++shared;
    } else {
      only += a.probability[i] / sum(a.probability);
    }
  }
  EXPECT_EQ(a.outcome.size(), 21u);
  EXPECT_EQ(shared, 8);
  const double lambda = 1e-3;
  EXPECT_GE((1 - lambda) * only, .618);
  // What lambda spreads over S is nothing: less than 1e-13 for each outcome.
  EXPECT_LT(lambda * 13 / (999. * 998 * 997 * 996 / 24), 1e-12);
}

// The likelihood ratio that (12) asks for, over the outcomes that both have, stays within epsilon_0
// of the printed column; so it is the supports that break it.
TEST(PublishedWeights, DrawsFollowTheColumn) {
  const std::vector<int> rows{6, 4, 5};
  const PublishedWeights w = map_weights(rows, {1, -2, 1}, .5);
  RandomStream random(key_of(1));
  std::map<std::vector<int>, int> seen;
  constexpr int draws = 20000;
  for (int n = 0; n < draws; ++n) ++seen[draw_weights(random, w, 0)];
  ASSERT_EQ(seen.size(), w.outcome.size());
  for (std::size_t i = 0; i < w.outcome.size(); ++i) {
    const double p = w.probability[i] / sum(w.probability);
    EXPECT_NEAR(seen[w.outcome[i]] / double(draws), p, 6 * std::sqrt(p / draws));
  }
  // Smoothing alone: every vector of S, alike. 15 rows in 3 classes: 91.
  seen.clear();
  for (int n = 0; n < draws; ++n) {
    const std::vector<int> counts = draw_weights(random, w, 1);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 15);
    EXPECT_GE(*std::min_element(counts.begin(), counts.end()), 1);
    ++seen[counts];
  }
  EXPECT_EQ(seen.size(), 91u);
  for (const auto& [counts, times] : seen)
    EXPECT_NEAR(times, draws / 91., 6 * std::sqrt(draws / 91.));
}

}  // namespace
}  // namespace dpmix::test
