#include "core/query/joint_shift.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "core/noise/gaussian/gdp.hpp"
#include "core/query/plan.hpp"
#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

// A small world: columns with values on small lattices, filters of which some exclude each other,
// and all rows that there can be.
struct Row {
  std::vector<std::optional<int>> value;  // of each column
  std::set<int> passes;                   // filters
  int group;
};

struct World {
  std::vector<JointStatistic> statistics;
  std::vector<std::pair<int, int>> range;  // of each column
  std::set<std::pair<int, int>> excluded;
  int filters, groups;

  bool excludes(int f, int g) const { return excluded.contains(std::minmax(f, g)); }

  std::vector<Row> rows() const {
    std::vector<Row> made{{{}, {}, 0}};
    for (const auto& [low, high] : range) {
      std::vector<Row> longer;
      for (const Row& row : made) {
        for (int v = low - 1; v <= high; ++v) {
          if (v != low - 1 && v != low && v != high && v != 0) continue;  // changes are convex
          longer.push_back(row);
          longer.back().value.push_back(v < low ? std::nullopt : std::optional(v));
        }
      }
      made = longer;
    }
    std::vector<Row> all;
    for (const Row& row : made) {
      for (int bits = 0; bits < 1 << filters; ++bits) {
        bool possible = true;
        std::set<int> passes;
        for (int f = 0; f < filters; ++f) {
          if (bits >> f & 1) passes.insert(f);
        }
        for (const int f : passes) {
          for (const int g : passes) possible = possible && (f == g || !excludes(f, g));
        }
        for (int group = 0; possible && group < groups; ++group) {
          all.push_back({row.value, passes, group});
        }
      }
    }
    return all;
  }

  double index(const Row& row, const JointStatistic& statistic) const {
    if (!row.passes.contains(statistic.filter)) return 0;
    const auto& value = statistic.column >= 0
                            ? row.value[static_cast<std::size_t>(statistic.column)]
                            : std::nullopt;
    switch (statistic.part) {
      case RowPart::value:
        return value ? 1 : 0;
      case RowPart::lattice:
        return value.value_or(0);
      default:
        return 1;
    }
  }
  // Of one row that becomes another, or comes.
  double squares(const Row* before, const Row* after) const {
    double sum = 0;
    for (const JointStatistic& statistic : statistics) {
      std::map<int, double> change;
      if (before != nullptr) change[before->group] -= index(*before, statistic);
      if (after != nullptr) change[after->group] += index(*after, statistic);
      for (const auto& [group, by] : change) sum += by * by / (statistic.l2 * statistic.l2);
    }
    return sum;
  }
  double worst(Adjacency adjacency) const {
    double most = 0;
    const std::vector<Row> all = rows();
    for (const Row& row : all) {
      most = std::max(most, squares(nullptr, &row));
      if (adjacency == Adjacency::add_remove) continue;
      for (const Row& other : all) most = std::max(most, squares(&other, &row));
    }
    return most;
  }
};

World random_world(std::mt19937_64& random, Adjacency adjacency) {
  World world;
  world.groups = random() % 2 == 0 ? 1 : 2;
  world.filters = 1 + static_cast<int>(random() % 3);
  for (int f = 0; f < world.filters; ++f) {
    for (int g = 0; g < f; ++g) {
      if (random() % 2 == 0) world.excluded.insert({g, f});
    }
  }
  const int columns = 1 + static_cast<int>(random() % 2);
  for (int c = 0; c < columns; ++c) {
    const int low = -static_cast<int>(random() % 5);
    world.range.emplace_back(low, 1 + static_cast<int>(random() % 5));
  }
  const int count = 2 + static_cast<int>(random() % 4);
  for (int i = 0; i < count; ++i) {
    JointStatistic made = {};
    made.filter = static_cast<int>(random() % world.filters);
    const int column = static_cast<int>(random() % columns);
    made.part = std::array{RowPart::presence, RowPart::value, RowPart::lattice}[random() % 3];
    made.column = made.part == RowPart::presence ? -1 - i : column;
    const auto [low, high] = world.range[static_cast<std::size_t>(column)];
    made.lattice = made.part == RowPart::lattice ? Lattice{0, 1, low, high} : kCountLattice;
    made.l2 = statistic_shift(made.lattice, adjacency, world.groups > 1).l2;
    world.statistics.push_back(made);
  }
  return world;
}

TEST(JointShift, NoRowMovesAllFurtherAndSomeMoveThemAsFar) {
  std::mt19937_64 random(31);
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    int met = 0, less = 0;
    for (int trial = 0; trial < 1500; ++trial) {
      const World world = random_world(random, adjacency);
      const double bound = joint_squares(world.statistics, adjacency, world.groups > 1,
                                         [&](int f, int g) { return world.excludes(f, g); });
      const double worst = world.worst(adjacency);
      ASSERT_LE(worst, bound * (1 + 1e-12)) << trial;
      ASSERT_LE(bound, static_cast<double>(world.statistics.size()));
      met += worst > bound * (1 - 1e-9);
      less += bound < static_cast<double>(world.statistics.size()) - .01;
    }
    EXPECT_GT(met, 500);
    EXPECT_GT(less, 300);
  }
}

JointStatistic count_of(int column, int filter) {
  return {RowPart::value, column, filter, kCountLattice, 1};
}
JointStatistic sum_of(int column, int filter, double l2 = 16) {
  return {RowPart::lattice, column, filter, {0, 1, -8, 8}, l2};
}
bool never(int, int) {
  return false;
}

// A count moves where a value comes or goes, and then the sum by half of its worst.
TEST(JointShift, AveragesUnderReplaceTakeFiveEighths) {
  const std::vector<JointStatistic> average = {count_of(0, 0), sum_of(0, 0)};
  EXPECT_NEAR(joint_squares(average, Adjacency::replace, false, never), 1.25, 1e-9);
  EXPECT_EQ(joint_squares(std::vector{count_of(0, 0), sum_of(0, 0, 8)}, Adjacency::add_remove,
                          false, never),
            2);
  const std::vector<JointStatistic> two = {count_of(0, 0), sum_of(0, 0), count_of(1, 0),
                                           sum_of(1, 0)};
  EXPECT_NEAR(joint_squares(two, Adjacency::replace, false, never), 2.5, 1e-9);
}

TEST(JointShift, FiltersThatExcludeEachOtherArePaidForOnce) {
  std::vector<JointStatistic> counts;
  for (int f = 0; f < 10; ++f) {
    counts.push_back({RowPart::presence, f, f, kCountLattice, 1});
  }
  const auto always = [](int, int) { return true; };
  EXPECT_NEAR(joint_squares(counts, Adjacency::add_remove, false, always), 1, 1e-9);
  EXPECT_NEAR(joint_squares(counts, Adjacency::replace, false, always), 2, 1e-9);
  EXPECT_EQ(joint_squares(counts, Adjacency::add_remove, false, never), 10);
}

// What is released with that noise is mu-GDP, and uses mu up: by the worst pair of rows.
TEST(JointShift, NoiseSpendsMuAndNoMore) {
  std::mt19937_64 random(32);
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    double most = 0;
    for (int trial = 0; trial < 300; ++trial) {
      const World world = random_world(random, adjacency);
      std::vector<StatisticShift> shifts;
      for (const JointStatistic& statistic : world.statistics) {
        shifts.push_back(statistic_shift(statistic.lattice, adjacency, world.groups > 1));
      }
      QueryRequest request{1, 1e-6, Family::gaussian};
      request.joint_squares = joint_squares(world.statistics, adjacency, world.groups > 1,
                                            [&](int f, int g) { return world.excludes(f, g); });
      const Planned made = planned(request, shifts);
      const double mu = gdp_mu(1, 1e-6);
      World scaled = world;
      for (std::size_t i = 0; i < shifts.size(); ++i) {
        scaled.statistics[i].l2 = made.noise[i].law.scale;
      }
      const double spent = std::sqrt(scaled.worst(adjacency));
      ASSERT_LE(spent, mu);
      most = std::max(most, spent / mu);
    }
    EXPECT_GT(most, .999999);
  }
}

}  // namespace
}  // namespace dpmix
