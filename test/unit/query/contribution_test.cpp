#include "core/query/contribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/error.hpp"
#include "core/noise/privacy_curve.hpp"
#include "core/noise/sampler.hpp"
#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

using Exact = boost::multiprecision::cpp_bin_float_100;
using Cells = std::vector<std::int64_t>;

const std::vector<Lattice> kLattices = {
    kCountLattice,        Lattice{0, 1, 0, 5}, Lattice{0, 1, -3, 5}, Lattice{0, 1, -2, 5},
    Lattice{0, 1, -4, 4}, Lattice{0, 1, 2, 5}, Lattice{0, 1, -6, -2}};

struct Case {
  int rows;
  std::optional<int> max_groups;
  StatisticCells cells;
};
const std::vector<Case> kCases = {
    {1, {}, {1, 1}},  {1, {}, {4, 1}}, {3, {}, {1, 1}}, {3, {}, {2, 1}}, {3, {}, {9, 1}},
    {4, 2, {9, 1}},   {5, 2, {9, 1}},  {5, 3, {9, 1}},  {5, 3, {1, 1}},  {5, 3, {2, 1}},
    {7, 2, {1, 9}},   {7, 2, {4, 2}},  {7, 3, {3, 3}},  {2, 5, {9, 1}},  {10, 3, {4, 1}},
    {10, 10, {3, 1}}, {8, 1, {5, 1}}};

// What sampling leaves of one unit: some rows in some groups, within all three bounds. Rows fall
// into cells one by one, mostly into the one of the row before: what is large is made of few cells.
class RandomUnit {
 public:
  RandomUnit(const Case& asked, std::uint64_t seed) : asked_(asked), random_(seed) {}

  Cells draw(const Lattice& lattice) {
    const int most_groups = std::min(asked_.max_groups.value_or(asked_.rows), asked_.rows);
    const int per_group = asked_.max_groups
                              ? (asked_.rows + *asked_.max_groups - 1) / *asked_.max_groups
                              : asked_.rows;
    Cells cells(static_cast<std::size_t>(asked_.cells.groups * asked_.cells.per_group));
    std::vector<int> in_group(static_cast<std::size_t>(asked_.cells.groups));
    const int style = pick(4);
    std::int64_t value = 0;
    int group = pick(asked_.cells.groups), bin = pick(asked_.cells.per_group), groups = 0;
    for (int row = style == 0 ? pick(asked_.rows + 1) : 0; row < asked_.rows; ++row) {
      if (row == 0 || pick(3) == 0 || style == 1) bin = pick(asked_.cells.per_group);
      if (style == 1 || in_group[static_cast<std::size_t>(group)] == per_group) {
        group = pick(asked_.cells.groups);
      }
      int& here = in_group[static_cast<std::size_t>(group)];
      if (here == per_group || (here == 0 && groups == most_groups)) continue;
      groups += here == 0;
      ++here;
      if (row == 0 || pick(style == 2 ? 2 : 20) == 0) value = draw_value(lattice);
      cells[static_cast<std::size_t>(group * asked_.cells.per_group + bin)] += value;
    }
    return cells;
  }

  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

 private:
  std::int64_t draw_value(const Lattice& lattice) {
    if (lattice == kCountLattice) return pick(9) > 0;
    switch (pick(5)) {
      case 0:
        return 0;  // missing
      case 1:
        return lattice.low + pick(static_cast<int>(lattice.high - lattice.low) + 1);
      case 2:
        return lattice.low;
      default:
        return lattice.high;
    }
  }

  Case asked_;
  std::mt19937_64 random_;
};

struct Norms {
  std::int64_t each = 0, l1 = 0, square = 0;
  int cells = 0;

  explicit Norms(const Cells& change) {
    for (const std::int64_t d : change) {
      each = std::max(each, std::abs(d));
      l1 += std::abs(d);
      square += d * d;
      cells += d != 0;
    }
  }
};

std::int64_t pieces_of(const Cells& change, std::int64_t piece) {
  std::int64_t sum = 0;
  for (const std::int64_t d : change) sum += (std::abs(d) + piece - 1) / piece;
  return sum;
}

// Units that come, go and change, drawn at random: no change is beyond the shift, and the largest
// ones found come near to it.
TEST(Contribution, NoUnitMovesAStatisticFurther) {
  for (const Lattice& lattice : kLattices) {
    for (const Case& asked : kCases) {
      const Contribution unit = contribution_of(asked.rows, asked.max_groups);
      for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
        const StatisticShift shift = shift_of(lattice, adjacency, unit, asked.cells);
        SCOPED_TRACE(testing::Message()
                     << lattice.low << ".." << lattice.high << ", m " << asked.rows << ", G "
                     << asked.max_groups.value_or(0) << ", cells " << asked.cells.groups << " x "
                     << asked.cells.per_group << ", " << name(adjacency));
        const auto piece = static_cast<std::int64_t>(shift.l1) / shift.pieces;
        ASSERT_EQ(static_cast<double>(piece) * shift.pieces, shift.l1);
        RandomUnit random(asked, 7);
        double each = 0, l1 = 0, l2 = 0;
        int cells = 0;
        for (int trial = 0; trial < 4000; ++trial) {
          const Cells before = random.draw(lattice);
          Cells after(before.size());
          if (adjacency == Adjacency::replace) after = random.draw(lattice);
          Cells change = before;
          for (std::size_t i = 0; i < change.size(); ++i) change[i] -= after[i];
          const Norms norms(change);
          ASSERT_LE(static_cast<double>(norms.each), shift.each);
          ASSERT_LE(static_cast<double>(norms.l1), shift.l1);
          ASSERT_LE(Exact(norms.square), Exact(shift.l2) * Exact(shift.l2));
          ASSERT_LE(norms.cells, shift.groups);
          // Whichever path from one to the other takes fewer pieces.
          ASSERT_LE(std::min(pieces_of(change, piece),
                             pieces_of(before, piece) + pieces_of(after, piece)),
                    shift.pieces);
          each = std::max(each, static_cast<double>(norms.each));
          l1 = std::max(l1, static_cast<double>(norms.l1));
          l2 = std::max(l2, std::sqrt(static_cast<double>(norms.square)));
          cells = std::max(cells, norms.cells);
        }
        EXPECT_EQ(each, shift.each);
        const bool few = asked.cells.groups < 2 * unit.groups;  // two units cannot stay apart
        EXPECT_GE(l1, shift.l1 * (few || asked.rows > 5 ? .7 : .9));
        EXPECT_GE(l2, shift.l2 * (few ? .7 : .85));
        EXPECT_GE(cells, shift.groups * .7);
      }
    }
  }
}

// Corners of what two units may hold, which random search may miss: the norm that is claimed is
// that of one of them.
TEST(Contribution, TheGaussianNormIsAttained) {
  const Lattice lattice{0, 1, -2, 5};
  // Two rows of one unit in one group and one in another, five rows in groups of two: full cells
  // 5·2 apart, or each rest in a full cell of the other.
  const StatisticShift shift =
      shift_of(lattice, Adjacency::replace, contribution_of(5, 3), {100, 1});
  const double apart = std::sqrt(2. * 25 * (4 + 4 + 1));
  const double crossed = std::sqrt(2. * 25 * 4 + 2 * std::pow(5 * 2 + 2 * 1, 2));
  EXPECT_GT(crossed, apart);
  EXPECT_NEAR(shift.l2, crossed, 1e-12);
  const StatisticShift add =
      shift_of(lattice, Adjacency::add_remove, contribution_of(5, 3), {100, 1});
  EXPECT_NEAR(add.l2, 15, 1e-12);
  EXPECT_GE(add.l2, 15);
}

TEST(Contribution, OneRowIsAnOldFriend) {
  for (const Lattice& lattice : kLattices) {
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      for (const int groups : {1, 2, 50}) {
        const StatisticShift old = statistic_shift(lattice, adjacency, groups > 1);
        for (const std::optional<int> most : {std::optional<int>(), std::optional(7)}) {
          const StatisticShift shift =
              shift_of(lattice, adjacency, contribution_of(1, most), {groups, 1});
          EXPECT_EQ(shift.each, old.each);
          EXPECT_EQ(shift.l1, old.l1);
          EXPECT_EQ(shift.l2, old.l2);
          EXPECT_EQ(shift.groups, old.groups);
          EXPECT_EQ(shift.pieces, old.pieces);
        }
      }
    }
  }
}

// Products beyond 2^53 are no doubles: never rounded down.
TEST(Contribution, LargeProductsAreRoundedUp) {
  const Lattice wide{0, 1, 1 - Lattice::max_index, Lattice::max_index - 1};
  const Exact index = Lattice::max_index - 1;
  for (const int rows : {2, 3, 7, 999999}) {
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      const int times = adjacency == Adjacency::replace ? 2 : 1;
      const StatisticShift shift =
          shift_of(wide, adjacency, contribution_of(rows, std::nullopt), {9, 1});
      EXPECT_GE(Exact(shift.each), index * rows * times);
      EXPECT_GE(Exact(shift.l1), index * rows * times);
      EXPECT_LE(Exact(shift.l1), index * rows * times * (1 + Exact(0x1p-52)));
      EXPECT_GE(Exact(shift.l2), index * rows * times);
      const StatisticShift spread = shift_of(wide, adjacency, contribution_of(rows, rows), {9, 1});
      EXPECT_GE(Exact(spread.l2) * Exact(spread.l2), index * index * std::min(rows, 9) * times);
    }
  }
}

// What no sampler is proved for is refused before anything is charged; what is not, has noise.
TEST(Contribution, RefusesWhatNoNoiseCanBeMadeFor) {
  const Lattice wide{0, 1, 1 - Lattice::max_index, Lattice::max_index - 1};
  for (const int rows : {1, 5, 100, kMostRowsPerUnit}) {
    for (const double epsilon : {1e-6, 1e7}) {
      std::vector<Family> made;
      std::vector<std::optional<Family>> asked(kFamilies.begin(), kFamilies.end());
      asked.push_back(std::nullopt);
      for (const std::optional<Family> family : asked) {
        const StatisticShift shift =
            shift_of(wide, Adjacency::replace, contribution_of(rows, std::nullopt), {1, 1});
        const bool pure = family && is_pure(*family);
        try {
          const Planned plan = planned(QueryRequest{epsilon, pure ? 0 : 1e-290, family}, {shift},
                                       Accountant::basic, false);
          RandomStream random({9});
          EXPECT_NE(NoiseSampler(plan.noise[0].law)(random), 0);
          made.push_back(plan.plan.family);
        } catch (const Error& error) {
          EXPECT_EQ(error.message.find("bounds too wide for mechanism"), 0u);
        }
      }
      // laplace up to 2^60 steps, gaussian up to 2^56, the mixtures up to 2^54.
      EXPECT_EQ(made.size(), rows == 1 ? 5u : rows == 5 ? 1u : 0u) << rows;
    }
  }
}

// Units in a group, and values that occur there, counted from the very rows: two random units.
TEST(Contribution, DistinctUnitsAndValues) {
  constexpr int kGroups = 4, kValues = 3;
  std::mt19937_64 random(5);
  for (const Case& asked : {Case{5, 3, {}}, Case{5, {}, {}}, Case{2, {}, {}}, Case{9, 2, {}}}) {
    const Contribution unit = contribution_of(asked.rows, asked.max_groups);
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      const StatisticShift units = shift_of_units(adjacency, unit, kGroups);
      const StatisticShift distinct = shift_of_distinct(adjacency, unit, kGroups, kValues);
      double most_units = 0, most_values = 0, most_in_one = 0;
      for (int trial = 0; trial < 20000; ++trial) {
        using Held = std::vector<std::vector<int>>;  // rows by group and value
        const auto draw = [&](bool any) {
          Held rows(kGroups, std::vector<int>(kValues));
          std::vector<int> in_group(kGroups);
          int groups = 0;
          for (int row = 0; any && row < asked.rows; ++row) {
            const std::size_t group = random() % kGroups;
            if (in_group[group] == unit.rows_per_group) continue;
            if (in_group[group] == 0 && groups++ == unit.groups) {
              --groups;
              continue;
            }
            ++in_group[group];
            ++rows[group][random() % kValues];
          }
          return rows;
        };
        const Held others = draw(random() % 2), before = draw(true),
                   after = draw(adjacency == Adjacency::replace);
        Cells moved_units(kGroups), moved_values(kGroups);
        for (std::size_t g = 0; g < kGroups; ++g) {
          bool was = false, is = false;
          for (std::size_t v = 0; v < kValues; ++v) {
            was |= before[g][v] > 0;
            is |= after[g][v] > 0;
            moved_values[g] += (others[g][v] + before[g][v] > 0) - (others[g][v] + after[g][v] > 0);
          }
          moved_units[g] = was - is;
        }
        const Norms by_unit(moved_units), by_value(moved_values);
        ASSERT_LE(static_cast<double>(by_unit.each), units.each);
        ASSERT_LE(static_cast<double>(by_unit.l1), units.l1);
        ASSERT_LE(Exact(by_unit.square), Exact(units.l2) * Exact(units.l2));
        ASSERT_LE(by_unit.cells, units.groups);
        ASSERT_LE(static_cast<double>(by_value.each), distinct.each);
        ASSERT_LE(static_cast<double>(by_value.l1), distinct.l1);
        ASSERT_LE(Exact(by_value.square), Exact(distinct.l2) * Exact(distinct.l2));
        ASSERT_LE(by_value.cells, distinct.groups);
        most_units = std::max(most_units, static_cast<double>(by_unit.l1));
        most_values = std::max(most_values, static_cast<double>(by_value.l1));
        most_in_one = std::max(most_in_one, static_cast<double>(by_value.each));
      }
      EXPECT_EQ(units.each, 1);
      EXPECT_EQ(most_units, units.l1);
      EXPECT_EQ(most_in_one, distinct.each);
      EXPECT_GE(most_values, distinct.l1 * .5);
    }
  }
}

std::vector<StatisticShift> mixed_shifts(Adjacency adjacency) {
  const Contribution unit = contribution_of(5, 3);
  return {shift_of(kCountLattice, adjacency, unit, {20, 1}),
          shift_of(Lattice{0, 1, -2, 5}, adjacency, unit, {20, 1}),
          shift_of(kCountLattice, adjacency, unit, {20, 4}), shift_of_units(adjacency, unit, 20)};
}

// Statistics that change different numbers of cells: the shares of all of them are no more than
// what is charged, and each law keeps its share at every shift of a cell.
TEST(Contribution, SharesOfMixedStatisticsAddUp) {
  const double epsilon = 5.3, delta = 1e-5;
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    const std::vector<StatisticShift> shifts = mixed_shifts(adjacency);
    int cells = 0;
    for (const StatisticShift& shift : shifts) cells += shift.groups;
    EXPECT_EQ(cells, adjacency == Adjacency::replace ? 28 : 14);
    for (const Family family : kFamilies) {
      const Planned made = planned(QueryRequest{epsilon, delta, family}, shifts);
      Exact sum = 0, added = 0;
      for (std::size_t i = 0; i < shifts.size(); ++i) {
        const NoiseLaw& law = made.noise[i].law;
        sum += Exact(made.noise[i].epsilon);
        added += Exact(made.noise[i].delta);
        if (family == Family::gaussian) continue;
        const double statistics = static_cast<double>(shifts.size());
        if (family == Family::laplace) {
          EXPECT_EQ(law.sensitivity, shifts[i].l1);
          EXPECT_LE(Exact(shifts[i].l1) / Exact(law.scale), Exact(epsilon) / statistics);
        } else if (family == Family::staircase) {
          EXPECT_EQ(law.sensitivity * shifts[i].pieces, shifts[i].l1);
          EXPECT_TRUE(
              certify(law, std::nextafter(epsilon / (statistics * shifts[i].pieces), 0), 0));
        } else {
          EXPECT_EQ(law.sensitivity, shifts[i].each);
          EXPECT_TRUE(
              certify(law, std::nextafter(epsilon / cells, 0), std::nextafter(delta / cells, 0)));
          EXPECT_LE(made.noise[i].epsilon, epsilon * shifts[i].groups / cells);
        }
      }
      if (family != Family::gaussian) {
        EXPECT_LE(sum, Exact(Decimal::printed(epsilon).str())) << name(family);
        EXPECT_GE(sum, Exact(epsilon) * (1 - 1e-13)) << name(family);
        EXPECT_LE(added, Exact(Decimal::printed(delta).str())) << name(family);
      }
    }
  }
}

// The staircase's pure guarantee, from the weights of its law: no pair of units tells more than the
// statistic's share.
TEST(Contribution, StaircaseCoversEveryChangeOfAUnit) {
  const double epsilon = 2.5;
  const Lattice lattice{0, 1, -1, 3};
  for (const Case& asked :
       {Case{4, 2, {9, 1}}, Case{5, 3, {9, 1}}, Case{3, {}, {1, 1}}, Case{3, {}, {2, 1}}}) {
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      const StatisticShift shift =
          shift_of(lattice, adjacency, contribution_of(asked.rows, asked.max_groups), asked.cells);
      const Planned made = planned(QueryRequest{epsilon, 0, Family::staircase}, {shift});
      const StepLaw& law = made.noise[0].law.steps;
      const auto log_weight = [&](std::int64_t k) {
        const double magnitude = static_cast<double>(std::abs(k));
        const double l = std::floor(magnitude / law.period), i = magnitude - l * law.period;
        if (i <= law.half_width) return -law.fall * l;
        if (i >= law.period - law.half_width) return -law.fall * (l + 1);
        return -law.fall * (l + 1) + std::log(law.dip);
      };
      std::vector<double> loss;
      for (std::int64_t d = 0; d <= static_cast<std::int64_t>(shift.each); ++d) {
        double most = 0;
        for (std::int64_t k = -300; k <= 300; ++k) {
          most = std::max(most, std::abs(log_weight(k) - log_weight(k + d)));
        }
        loss.push_back(most);
      }
      RandomUnit random(asked, 11);
      double largest = 0;
      for (int trial = 0; trial < 20000; ++trial) {
        const Cells before = random.draw(lattice);
        Cells after(before.size());
        if (adjacency == Adjacency::replace) after = random.draw(lattice);
        double sum = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
          sum += loss[static_cast<std::size_t>(std::abs(before[i] - after[i]))];
        }
        largest = std::max(largest, sum);
      }
      EXPECT_LE(largest, epsilon * (1 + 1e-13));
      EXPECT_GE(largest, epsilon * .6);
    }
  }
}

}  // namespace
}  // namespace dpmix
