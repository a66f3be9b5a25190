// A search for neighbours that move the exact integers of a tree model's release by more than its
// noise is made for. Would falsify docs/proofs/tree_model.md. Every bound is reached, so that a
// looser or a tighter claim would show as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "core/tree_model/edge_scores.hpp"
#include "tables/tree_neighbours.hpp"

namespace dpmix::test {
namespace {

constexpr Adjacency adjacencies[] = {Adjacency::add_remove, Adjacency::replace, Adjacency::label};

ColumnCells random_cells(std::mt19937_64& random) {
  ColumnCells cells;
  if (random() % 2 == 0) {
    cells.categories = 1 + static_cast<int>(random() % 6);
  } else {
    for (double edge = -2; edge < 6; edge += .5) {
      if (random() % 3 == 0) cells.edges.push_back(edge);
    }
  }
  cells.code.resize(cells.needed_codes());
  for (int& code : cells.code) {
    code = static_cast<int>(random() % cells.code.size());
  }
  return cells;
}

TEST(TreeSensitivity, OfEveryTableAndScore) {
  std::mt19937_64 random(1);
  for (const Adjacency adjacency : adjacencies) {
    for (const int rows : {1, 3}) {
      const double two = adjacency == Adjacency::add_remove ? 1 : 2;
      double table_most = 0;
      std::int64_t score_most = 0;
      for (int round = 0; round < 20'000; ++round) {
        const int classes = 2 + static_cast<int>(random() % 2);
        const MarginalTables tables(classes, {random_cells(random), random_cells(random)},
                                    {{0}, {1, -1, false}, {0, 1}});
        const TreeNeighbours pair = tree_neighbours(random, adjacency, rows, classes, 2);
        const Counts one = exact_counts(tables, pair.one), other = exact_counts(tables, pair.other);
        const auto part = [&](const Counts& counts, int t) {
          return tables.part(std::span<const std::int64_t>(counts), t);
        };
        for (int t = 0; t < 3; ++t) {
          table_most = std::max(table_most, square(part(one, t), part(other, t)));
        }
        std::vector<double> expected;  // near the rows, on either side
        for (const std::int64_t count : part(one, 2)) {
          expected.push_back(static_cast<double>(count) + 8 * (random() * 0x1p-64 - .5));
        }
        for (const bool by_class : {true, false}) {
          const auto score = [&](const Counts& counts) {
            return edge_score(part(counts, 2), expected, classes, by_class, 1.7);
          };
          score_most = std::max(score_most, std::abs(score(one) - score(other)));
        }
      }
      EXPECT_EQ(table_most, rows * rows * two);
      EXPECT_EQ(score_most, rows * two);
    }
  }
}

TEST(TreeSensitivity, OfWholeReleases) {
  std::mt19937_64 random(2);
  RandomStream stream({3});
  const ColumnValues number = {.lower = -2, .upper = 8},
                     few = {.lower = 0, .upper = 5, .whole = true},
                     many = {.lower = 0, .upper = 1000, .whole = true}, sort = {.categories = 3};
  const std::vector<std::vector<ColumnValues>> tables = {
      {sort, few}, {number}, {number, many}, {number, sort, few}, {many, sort, few, number, sort}};
  for (const Adjacency adjacency : adjacencies) {
    double most[3] = {};
    for (int round = 0; round < 400; ++round) {
      TreeCase of;
      of.classes = 2;
      of.columns = tables[random() % tables.size()];
      of.bins = random() % 4 == 0 ? Bins::equal : Bins::private_;
      of.epsilon = std::pow(10., static_cast<double>(random() % 5) - 1);
      of.adjacency = adjacency;
      of.rows_per_unit = random() % 2 == 0 ? 1 : 4;
      const TreeNeighbours pair =
          tree_neighbours(random, adjacency, of.rows_per_unit, of.classes, of.columns.size());
      const TreeShift shift(of, of.plan(), stream, pair);
      const double draws =
          (shift.plan().edges + shift.plan().chords) == 0
              ? 0
              : (shift.plan().edges + shift.plan().chords) *
                    cost_of_bounded_range({Accountant::gdp, 0}, shift.plan().draw_rate.rate).amount;
      const double budget = shift.plan().mu * shift.plan().mu;
      ASSERT_LE(shift.square_of_mu() + draws, budget * (1 + 1e-12));
      double& reached = most[static_cast<int>(shift.again())];
      reached = std::max(reached, (shift.square_of_mu() + draws) / budget);
    }
    std::printf("%s: %.4f of mu^2; with columns for chords %.4f, for pairs %.4f\n",
                name(adjacency).data(), most[0], most[1], most[2]);
    // Under label adjacency fine counts and those in full cells do not move.
    for (const double reached : most) EXPECT_GT(reached, 1 - 1e-8);
  }
}

}  // namespace
}  // namespace dpmix::test
