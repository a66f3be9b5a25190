#include "core/query/joint_shift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/noise/gaussian/gdp.hpp"
#include "unit/query/joint_world.hpp"
#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

TEST(JointShift, NoRowMovesAllFurtherAndSomeMoveThemAsFar) {
  std::mt19937_64 random(31);
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    int met = 0, less = 0;
    for (int trial = 0; trial < 1500; ++trial) {
      const World world = random_world(random, adjacency);
      const double bound = world.joint(adjacency);
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
      request.joint = JointPrice{world.joint(adjacency)};
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
