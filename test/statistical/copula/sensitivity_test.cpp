// A search for neighbours that move the exact integers of a copula's release by more than its noise
// is made for: those of columns, then those of scores. Would falsify docs/proofs/copula.md. The
// bound is nearly reached, so that a tighter claim would show as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/mixture/methods/staged.hpp"
#include "tables/copula_releases.hpp"
#include "tables/mixture_distance.hpp"
#include "tables/tree_neighbours.hpp"

namespace dpmix::test {
namespace {

// What a mixture's passes move by, in units of their noise: squares, added up over all passes.
double square_of_scores(const CopulaPlan& plan, RandomStream& stream, const Table& one,
                        const Table& other) {
  StagedGmm staged(plan.scores);
  double sum = 0;
  while (const auto pass = staged.next()) {
    const PassStatistics a = exact_statistics(one, *pass), b = exact_statistics(other, *pass);
    const double far =
        pass->kind == PassKind::class_distances
            ? distance(std::get<BinCounts>(a), std::get<BinCounts>(b), staged.distance_noise())
            : distance(std::get<MomentTotals>(a), std::get<MomentTotals>(b), staged.noise());
    EXPECT_LE(far, staged.stage_mu());
    sum += far * far;
    staged.take(stream, a);
  }
  return sum;
}

TEST(CopulaSensitivity, OfWholeReleases) {
  std::mt19937_64 random(41);
  RandomStream stream({42});
  const ColumnValues number = {.lower = -2, .upper = 8},
                     few = {.lower = 0, .upper = 5, .whole = true}, sort = {.categories = 3};
  const std::vector<std::vector<ColumnValues>> tables = {
      {sort}, {number}, {few, sort}, {number, sort, few}};
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
    double most = 0;
    for (int round = 0; round < 400; ++round) {
      TreeCase of;
      of.classes = 2;
      of.columns = tables[random() % tables.size()];
      of.epsilon = std::pow(10., static_cast<double>(random() % 4) - 1);
      of.adjacency = adjacency;
      const TreeNeighbours pair =
          tree_neighbours(random, adjacency, 1, of.classes, of.columns.size());
      const CopulaPlan plan = copula_plan(of);
      const TreeShift columns(of, plan.columns, stream, pair);
      const CodeScores scores = scores_of(columns.model());
      const double moved =
          columns.square_of_mu() + square_of_scores(plan, stream, scores_of_rows(scores, pair.one),
                                                    scores_of_rows(scores, pair.other));
      ASSERT_LE(moved, plan.mu * plan.mu * (1 + 1e-12));
      most = std::max(most, moved / (plan.mu * plan.mu));
    }
    std::printf("%s: %.4f of mu^2\n", name(adjacency).data(), most);
    EXPECT_GT(most, .95);
  }
}

}  // namespace
}  // namespace dpmix::test
