#include "core/query/cube_noise.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "core/base/error.hpp"
#include "core/query/plan.hpp"
#include "unit/cube/cubes.hpp"

namespace dpmix {
namespace {

using Exact = boost::multiprecision::cpp_bin_float_100;

const std::vector<Lattice> kLattices = {kCountLattice,        Lattice{0, 1, 0, 5},
                                        Lattice{0, 1, -3, 5}, Lattice{0, 1, -4, 4},
                                        Lattice{0, 1, 2, 5},  Lattice{0, 1, -6, -2}};

struct Row {
  std::vector<int> category;  // of each key
  std::int64_t index;
};

struct Setting {
  CubeWorkload workload;
  std::vector<int> sizes;
  CubeNoise noise;
  KeySet all;
  double groups = 1;

  std::vector<CubeTable> tables() const {
    std::vector<CubeTable> made;
    for (std::size_t i = 0; i < workload.sets(); ++i) {
      const KeySet set = workload.set(i);
      const auto cells = static_cast<double>(workload.cells(set));
      made.push_back({set == 0 ? 1 : std::max(cells, 2.0), set == all, noise.stretch[i]});
    }
    return made;
  }
};

Setting random_setting(std::mt19937_64& random, int keys) {
  std::vector<int> sizes;
  for (int k = 0; k < keys; ++k) sizes.push_back(2 + static_cast<int>(random() % 3));
  std::vector<KeySet> sets;
  for (KeySet set = 0; set < KeySet{1} << keys; ++set) {
    if (random() % 2 == 0) sets.push_back(set);
  }
  if (sets.empty()) sets.push_back(0);
  const CubeWorkload workload(sizes, sets);
  Setting made{workload, sizes, cube_noise(workload), (KeySet{1} << keys) - 1};
  for (const int size : sizes) made.groups *= size;
  return made;
}

std::size_t cell_of(const Setting& in, KeySet set, const Row& row) {
  std::size_t cell = 0;
  for (const int key : keys_of(set)) {
    const auto k = static_cast<std::size_t>(key);
    cell = cell * static_cast<std::size_t>(in.sizes[k]) + static_cast<std::size_t>(row.category[k]);
  }
  return cell;
}

// sum over the tables of |change|^2 / stretch^2, exactly.
Exact square_of(const Setting& in, const std::vector<Row>& before, const std::vector<Row>& after) {
  Exact sum = 0;
  for (std::size_t i = 0; i < in.workload.sets(); ++i) {
    const KeySet set = in.workload.set(i);
    std::vector<std::int64_t> change(in.workload.cells(set));
    for (const Row& row : before) change[cell_of(in, set, row)] -= row.index;
    for (const Row& row : after) change[cell_of(in, set, row)] += row.index;
    Exact here = 0;
    for (const std::int64_t d : change) here += Exact(d) * d;
    sum += here / (Exact(in.noise.stretch[i]) * in.noise.stretch[i]);
  }
  return sum;
}

// What sampling leaves of one unit: within its bounds on rows, groups and rows of a group.
std::vector<Row> random_unit(const Setting& in, const Contribution& unit, const Lattice& lattice,
                             std::mt19937_64& random) {
  const auto pick = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  std::vector<Row> rows;
  std::map<std::vector<int>, int> in_group;
  const int style = static_cast<int>(pick(4));
  const int wanted = style == 0 ? static_cast<int>(pick(unit.rows + 1)) : unit.rows;
  const std::int64_t favourite = pick(2) ? lattice.high : lattice.low;
  for (int tries = 0; tries < 40 && static_cast<int>(rows.size()) < wanted; ++tries) {
    Row row{{}, style == 1 ? lattice.low + pick(lattice.high - lattice.low + 1) : favourite};
    if (lattice == kCountLattice) row.index = 1;
    for (const int size : in.sizes) {
      row.category.push_back(style == 2 ? 0 : static_cast<int>(pick(size)));
    }
    if (style == 3 && !rows.empty() && pick(4) > 0) row.category = rows.back().category;
    const auto known = in_group.find(row.category);
    if (known == in_group.end() && static_cast<int>(in_group.size()) == unit.groups) continue;
    if (known != in_group.end() && known->second == unit.rows_per_group) continue;
    in_group[row.category]++;
    rows.push_back(row);
  }
  return rows;
}

// One row at an end of the lattice, before and after, in one cell or in cells of which no table has
// both: the largest changes there are.
Exact most_of_one_row(const Setting& in, const Lattice& lattice, bool replaced) {
  const std::vector<std::int64_t> ends = {lattice.low, lattice.high};
  Exact most = 0;
  for (const std::int64_t y : ends) {
    const Row after{std::vector<int>(in.sizes.size(), 0), lattice == kCountLattice ? 1 : y};
    most = std::max(most, square_of(in, {}, {after}));
    for (const std::int64_t x : ends) {
      for (const int cell : {0, 1}) {
        const Row before{std::vector<int>(in.sizes.size(), cell), lattice == kCountLattice ? 1 : x};
        if (replaced) most = std::max(most, square_of(in, {before}, {after}));
      }
    }
  }
  return most;
}

TEST(CubeShift, NoNeighbourMovesTheTablesFurther) {
  std::mt19937_64 random(41);
  const std::pair<int, std::optional<int>> units[] = {{1, {}}, {3, {}}, {4, 2}, {5, 3}};
  for (int trial = 0; trial < 10; ++trial) {
    const Setting in = random_setting(random, 2 + trial % 2);
    for (const Lattice& lattice : kLattices) {
      for (const auto& [rows, max_groups] : units) {
        const Contribution unit = contribution_of(rows, max_groups);
        for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
          const StatisticShift shift = cube_shift(lattice, adjacency, unit, in.groups, in.tables());
          const Exact limit = Exact(shift.l2) * shift.l2;
          Exact most = 0;
          for (int pair = 0; pair < 60; ++pair) {
            std::vector<Row> before, after = random_unit(in, unit, lattice, random);
            if (adjacency == Adjacency::replace && pair % 3 > 0) {
              before = random_unit(in, unit, lattice, random);
            }
            most = std::max(most, square_of(in, before, after));
          }
          EXPECT_LE(most, limit);
          if (rows == 1) {
            most = most_of_one_row(in, lattice, adjacency == Adjacency::replace);
            EXPECT_LE(most, limit);
            EXPECT_GE(most, limit * (1 - Exact(1e-12))) << trial;
          } else {  // of several rows the bound adds up what no one unit does in all tables
            EXPECT_GE(most, limit * (adjacency == Adjacency::replace ? .15 : .3)) << trial;
          }
        }
      }
    }
  }
}

// GROUPING SETS (()) under replace: WHERE may admit the row before only.
TEST(CubeShift, TheGrandTotalAloneStillMoves) {
  const CubeTable total[] = {{1, false, 1}};
  const StatisticShift shift =
      cube_shift(kCountLattice, Adjacency::replace, contribution_of(1, {}), 4, total);
  EXPECT_GE(shift.l2, 1);
  EXPECT_LE(shift.l2, 1 + 1e-12);
}

// A law made for the shift, stretched from table to table: all of them together show no more than
// the guarantee, in exact arithmetic on the doubles that noise is drawn with.
TEST(CubeShift, StretchedLawsKeepTheGuarantee) {
  std::mt19937_64 random(42);
  for (int trial = 0; trial < 200; ++trial) {
    const Setting in = random_setting(random, 3);
    const Lattice lattice = kLattices[static_cast<std::size_t>(trial) % kLattices.size()];
    const std::vector<CubeTable> tables = in.tables();
    const StatisticShift shift =
        cube_shift(lattice, Adjacency::add_remove, contribution_of(1, {}), in.groups, tables);
    const double mu = std::ldexp(1 + static_cast<double>(random() % 1000) / 999, trial % 20 - 10);
    const NoiseLaw law{.family = Family::gaussian,
                       .sensitivity = shift.l2,
                       .scale = shift.l2 / mu * (1 + 0x1p-48)};
    const Exact a = std::max<std::int64_t>(std::abs(lattice.low), std::abs(lattice.high));
    Exact sum = 0;
    for (const CubeTable& table : tables) {
      const Exact deviation = stretched_law(law, table.stretch).scale;
      sum += a * a / (deviation * deviation);
    }
    EXPECT_LE(sum, Exact(mu) * mu);
    EXPECT_GE(sum, Exact(mu) * mu * (1 - Exact(1e-12)));
  }
}

TEST(CubeReach, RefusesLevelsOutOfRange) {
  const NoiseLaw law{.family = Family::gaussian, .sensitivity = 1, .scale = 2};
  EXPECT_THROW(cube_reach(law, {1, 1, 1, 1}, 1, 1), Error);
  EXPECT_THROW(cube_reach(law, {1, 1, 1, 1}, 0, 1), Error);
  EXPECT_GT(cube_reach(law, {1, 1, 1, 1}, .99, 1), cube_reach(law, {1, 1, 1, 1}, .9, 1));
}

TEST(SumReaches, OfOneCellAreThoseOfTheSet) {
  std::mt19937_64 random(45);
  std::uniform_real_distribution<double> stretch(.5, 4);
  for (int trial = 0; trial < 100; ++trial) {
    const CubeWorkload one = random_workload(random, 3);
    std::vector<KeySet> sets;  // each twice: two releases
    for (std::size_t i = 0; i < 2 * one.sets(); ++i) sets.push_back(one.set(i % one.sets()));
    const CubeWorkload workload(sizes_of(one, 3), sets);
    std::vector<double> stretches;
    double cells = 0;
    for (const KeySet set : sets) {
      stretches.push_back(stretch(random));
      cells += static_cast<double>(workload.cells(set));
    }
    const CubeNoise noise = cube_noise(workload, stretches);
    const SumReaches reaches(workload, stretches);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const std::vector<int> ones(keys_of(sets[i]).size(), 1);
      const CubeReach reach = reaches.sum(sets[i], ones);
      EXPECT_NEAR(reach.variance, noise.variance[i], 1e-12 * noise.variance[i]);
      EXPECT_NEAR(reach.squares, noise.squares[i], 1e-12 * noise.squares[i]);
      EXPECT_EQ(reach.least_stretch, *std::ranges::min_element(stretches));
      EXPECT_EQ(reach.cells, cells);
    }
  }
}

}  // namespace
}  // namespace dpmix
