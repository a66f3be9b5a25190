#include "core/query/unit_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <map>
#include <random>

#include "core/base/whole_root.hpp"
#include "core/query/joint_shift.hpp"
#include "core/query/plan.hpp"
#include "core/query/weighed_shift.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;

struct Notes {
  std::vector<std::uint64_t>* words;
  std::size_t size() const { return words->size(); }
  std::uint64_t& operator[](std::size_t unit) const { return (*words)[unit]; }
};
using Weights = UnitWeights<Notes>;

struct Row {
  std::uint32_t unit, group;
  std::vector<bool> in;  // each list
};

struct Asked {
  std::vector<NormBound> lists;
  int bits;
  bool by_group;
};

// By list, unit and group: what the rows of the second scan weigh together.
using Sums = std::map<std::tuple<int, std::uint32_t, std::uint32_t>, cpp_int>;

Sums weigh(const Asked& asked, const std::vector<Row>& first, const std::vector<Row>& second,
           std::vector<std::int64_t>* bounded = nullptr) {
  std::uint32_t units = 0;
  for (const Row& row : first) units = std::max(units, row.unit + 1);
  std::vector<std::uint64_t> words(units);
  Weights weights(asked.lists, asked.bits, asked.by_group, 7, Notes{&words});
  const auto each = [&](const std::vector<Row>& rows, const auto& receive) {
    for (const Row& row : rows) {
      for (int list = 0; list < static_cast<int>(asked.lists.size()); ++list) {
        if (row.in[static_cast<std::size_t>(list)]) receive(list, row);
      }
    }
  };
  each(first, [&](int list, const Row& row) { weights.count(list, row.unit, row.group); });
  std::mt19937_64 random(11);
  const struct {
    std::mt19937_64* of;
    std::uint64_t below(std::uint64_t n) const { return (*of)() % n; }
  } drawn{&random};
  weights.choose(drawn);
  Sums sums;
  each(second, [&](int list, const Row& row) {
    const std::uint32_t weight = weights.weight(list, row.unit, row.group);
    EXPECT_LE(weight, 1U << asked.bits);
    sums[{list, row.unit, row.group}] += weight;
  });
  for (int list = 0; bounded != nullptr && list < static_cast<int>(asked.lists.size()); ++list) {
    bounded->push_back(weights.bounded(list));
  }
  return sums;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  Asked asked() {
    Asked made{{}, static_cast<int>(1 + below(kMostWeightBits)), true};
    const int rows = static_cast<int>(1 + below(9)), groups = static_cast<int>(1 + below(6));
    std::optional<int> limit;
    if (below(2) == 0) limit = static_cast<int>(1 + below(5));
    const Contribution unit = contribution_of(rows, limit);
    for (std::uint64_t i = 1 + below(3); i > 0; --i) {
      made.lists.push_back(norm_bound(unit, groups, below(3) == 0, below(2) == 0));
    }
    return made;
  }
  std::vector<Row> rows(const Asked& asked) {
    std::vector<Row> made;
    for (std::uint64_t i = below(80); i > 0; --i) {
      Row row{static_cast<std::uint32_t>(below(4)), static_cast<std::uint32_t>(below(7)), {}};
      if (below(2) == 0) row.unit = row.group = 0;  // large ones
      for (std::size_t list = 0; list < asked.lists.size(); ++list) {
        row.in.push_back(list == 0 || below(3) > 0);
      }
      made.push_back(row);
    }
    return made;
  }
  void shuffle(std::vector<Row>& rows) { std::ranges::shuffle(rows, random_); }

 private:
  std::mt19937_64 random_;
};

// What a norm, or its square, may be.
cpp_int most_of(const NormBound& bound, int bits) {
  const cpp_int one = cpp_int(1) << bits;
  return bound.by_rows ? cpp_int(one * bound.rows) : cpp_int(one * one * bound.squares);
}

// Whether the norm of a unit, times W and cut, keeps the bound.
bool keeps(const NormBound& bound, const std::vector<std::uint64_t>& rows, const cpp_int& weight,
           int bits) {
  cpp_int sum = 0;
  for (const std::uint64_t n : rows) {
    const cpp_int cut = bound.most > 0 && n > static_cast<std::uint64_t>(bound.most)
                            ? cpp_int(bound.most)
                            : cpp_int(n);
    if (bound.by_rows) {
      sum += cut;
    } else {
      sum += cut * cut;
    }
  }
  return (bound.by_rows ? cpp_int(weight * sum) : cpp_int(weight * weight * sum)) <=
         most_of(bound, bits);
}

TEST(UnitWeights, AreTheLargestThatKeepTheNorm) {
  Random random(1);
  for (int trial = 0; trial < 20000; ++trial) {
    const Asked asked = random.asked();
    const NormBound& bound = asked.lists[0];
    std::vector<std::uint64_t> rows;
    UnitSum sum;
    for (std::uint64_t i = 1 + random.below(5); i > 0; --i) {
      rows.push_back(1 + random.below(std::uint64_t{1} << random.below(44)));
      sum.add(bound, rows.back());
    }
    const std::uint32_t weight = weight_of_unit(bound, sum, asked.bits);
    EXPECT_TRUE(keeps(bound, rows, weight, asked.bits));
    EXPECT_TRUE(weight == 1U << asked.bits || !keeps(bound, rows, cpp_int(weight) + 1, asked.bits));
  }
}

TEST(UnitWeights, NoUnitPassesItsNormInAnyOrder) {
  Random random(2);
  int bounded_units = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const Asked asked = random.asked();
    std::vector<Row> first = random.rows(asked), second = first;
    random.shuffle(second);
    std::vector<std::int64_t> bounded;
    const Sums sums = weigh(asked, first, second, &bounded);
    for (std::size_t list = 0; list < asked.lists.size(); ++list) {
      const NormBound& bound = asked.lists[list];
      const cpp_int one = cpp_int(1) << asked.bits;
      std::map<std::uint32_t, cpp_int> norm;
      std::map<std::uint32_t, bool> less;
      for (const auto& [at, sum] : sums) {
        const auto [of, unit, group] = at;
        if (of != static_cast<int>(list)) continue;
        norm[unit] += bound.by_rows ? sum : cpp_int(sum * sum);
        // Whole rows, or one for each pair, where nothing is lost.
        std::uint64_t rows = 0;
        for (const Row& row : first) rows += row.in[list] && row.unit == unit && row.group == group;
        if (bound.pairs) rows = 1;
        EXPECT_LE(sum, one * rows);
        less[unit] = less[unit] || sum < one * rows;
      }
      for (const auto& [unit, squares] : norm) {
        EXPECT_LE(squares, most_of(bound, asked.bits));
      }
      std::int64_t expected = 0;
      for (const auto& [unit, is_less] : less) expected += is_less;
      EXPECT_EQ(bounded[list], expected);
      bounded_units += static_cast<int>(expected);
    }
  }
  EXPECT_GT(bounded_units, 1000);
}

// A list by which groups are found: of a unit in t groups `keys` at most count, each as 1/sqrt of
// how many those are; which ones is drawn, all sets being equally likely.
// The threshold takes a unit's weight for the whole root of 4^bits over the number of its groups.
TEST(UnitWeights, AListOfASearchHasTheWeightsOfItsThreshold) {
  const NormBound bound = search_bound(contribution_of(kMostRowsPerUnit, std::nullopt), 1 << 30);
  EXPECT_EQ(bound.keys, kMostRowsPerUnit);
  for (const int bits : {10, 13, 20}) {
    for (unsigned groups = 1; groups <= kMostRowsPerUnit; groups += 1 + groups / 7) {
      UnitSum sum;
      for (unsigned i = 0; i < groups; ++i) sum.add(bound, 1);
      sum.limit(bound);
      const cpp_int weight = weight_of_unit(bound, sum, bits), whole = cpp_int(1) << (2 * bits);
      EXPECT_LE(weight * weight * groups, whole);
      EXPECT_GT((weight + 1) * (weight + 1) * groups, whole);
      EXPECT_EQ(weight, whole_root((UInt128{1} << (2 * bits)) / groups));
    }
  }
}

TEST(UnitWeights, PairsThatAreMoreThanMayCountAreDrawn) {
  constexpr int kUnits = 60'000, kKeys = 2;
  const Asked asked{{search_bound(contribution_of(kKeys, std::nullopt), 1000)}, 20, true};
  EXPECT_EQ(asked.lists[0].keys, kKeys);
  std::vector<Row> rows;
  for (std::uint32_t unit = 0; unit < kUnits; ++unit) {
    for (std::uint32_t g = 0; g < 1 + unit % 4; ++g) {  // in 1, 2, 3, 4 groups, of two rows each
      rows.push_back({unit, g, {true}});
      rows.push_back({unit, g, {true}});
    }
  }
  const Sums sums = weigh(asked, rows, rows);
  std::map<std::uint32_t, std::vector<bool>> counted;
  for (const auto& [at, sum] : sums) {
    const auto [list, unit, group] = at;
    const int groups = static_cast<int>(1 + unit % 4), counts = std::min(groups, kKeys);
    const cpp_int one = sum;
    EXPECT_TRUE(one == 0 || (one * one * counts <= cpp_int(1) << 40 &&
                             (one + 1) * (one + 1) * counts > cpp_int(1) << 40));
    counted[unit].resize(4);
    counted[unit][group] = one > 0;
  }
  std::map<std::vector<bool>, int> seen;
  for (const auto& [unit, in] : counted) {
    EXPECT_EQ(std::ranges::count(in, true), std::min<int>(1 + static_cast<int>(unit % 4), kKeys));
    if (unit % 4 == 3) seen[in]++;
  }
  EXPECT_EQ(seen.size(), 6U);
  for (const auto& [in, times] : seen) {
    EXPECT_NEAR(times, kUnits / 24, 7 * std::sqrt(kUnits / 24));  // below 1e-11 each
  }
}

TEST(UnitWeights, DependOnTheUnitsOwnRowsAlone) {
  Random random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const Asked asked = random.asked();
    std::vector<Row> rows = random.rows(asked), others = rows;
    std::vector<Row> more = random.rows(asked);
    for (Row row : more) {  // of a unit with another number
      row.unit += 10;
      others.push_back(row);
    }
    random.shuffle(others);
    const Sums alone = weigh(asked, rows, rows);
    Sums together = weigh(asked, others, others);
    std::erase_if(together, [](const auto& sum) { return std::get<1>(sum.first) >= 10; });
    EXPECT_EQ(alone, together);
  }
}

TEST(UnitWeights, ARowTooManyIsRefused) {
  Random random(4);
  for (int trial = 0; trial < 500; ++trial) {
    Asked asked = random.asked();
    std::erase_if(asked.lists, [](const NormBound& bound) { return bound.pairs; });
    if (asked.lists.empty()) continue;
    const std::vector<Row> rows = random.rows(asked);
    if (rows.empty()) continue;
    std::vector<Row> more = rows;
    more.push_back(rows[random.below(rows.size())]);
    EXPECT_THROW(weigh(asked, rows, more), std::logic_error);
    more.back().group = 99;
    EXPECT_THROW(weigh(asked, rows, more), std::logic_error);
  }
}

// Weighed sensitivity
// ----------------------------------------------------------------------------------

const std::vector<Lattice> kLattices = {kCountLattice,         Lattice{0, 1, 0, 5},
                                        Lattice{0, 1, -3, 5},  Lattice{0, 1, -4, 4},
                                        Lattice{0, 1, -5, -2}, Lattice{0, 1, 2, 5}};

// A unit's sums over cells: each row with one of the two ends, weighed.
std::vector<double> cells_of(Random& random, const Contribution& unit, const StatisticCells& cells,
                             const Lattice& lattice, int end) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(cells.groups));
  const std::uint64_t groups = 1 + random.below(static_cast<std::uint64_t>(cells.groups));
  for (std::uint64_t i = random.below(30); i > 0; --i) {
    rows[random.below(groups)].push_back(static_cast<int>(random.below(4) == 0));
  }
  const NormBound bound = norm_bound(unit, cells.groups, false, false);
  UnitSum sum;
  for (const auto& group : rows) sum.add(bound, group.size());
  const std::uint32_t weight = weight_of_unit(bound, sum, 20);
  std::vector<double> made(static_cast<std::size_t>(cells.groups * cells.per_group));
  for (std::size_t g = 0; g < rows.size(); ++g) {
    const double each = std::ldexp(weight_in_group(bound, weight, rows[g].size()), -20);
    for (const int other : rows[g]) {
      const std::size_t bin = random.below(8) == 0 ? random.below(cells.per_group) : 0;
      made[g * static_cast<std::size_t>(cells.per_group) + bin] +=
          each * static_cast<double>((end ^ other) != 0 ? lattice.high : lattice.low);
    }
  }
  return made;
}

TEST(WeighedShift, NoUnitMovesAStatisticFurther) {
  Random random(5);
  for (const Lattice& lattice : kLattices) {
    for (const StatisticCells cells : {StatisticCells{1, 1}, {2, 1}, {5, 1}, {1, 3}, {3, 2}}) {
      for (const std::optional<int> limit :
           {std::optional<int>{}, std::optional(1), std::optional(3)}) {
        for (const int rows : {1, 2, 5, 7}) {
          const Contribution unit = contribution_of(rows, limit);
          for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
            const StatisticShift shift = weighed_shift(lattice, adjacency, unit, cells);
            double most = 0;
            for (int trial = 0; trial < 1500; ++trial) {
              const auto before = adjacency == Adjacency::replace
                                      ? cells_of(random, unit, cells, lattice, 0)
                                      : std::vector<double>(cells.groups * cells.per_group);
              const auto after = cells_of(random, unit, cells, lattice, trial % 2);
              double square = 0;
              for (std::size_t i = 0; i < after.size(); ++i) {
                square += (after[i] - before[i]) * (after[i] - before[i]);
              }
              most = std::max(most, square);
            }
            EXPECT_LE(std::sqrt(most), shift.l2);
            EXPECT_GT(std::sqrt(most), .5 * shift.l2);
          }
        }
      }
    }
  }
}

// Count and centred sum of one FILTER: together no more than so many times what one row moves.
TEST(WeighedShift, StatisticsOfOneFilterMoveAsARow) {
  Random random(6);
  const Lattice centred{0, 1, -4, 4};
  for (const int rows : {1, 3, 6}) {
    const Contribution unit = contribution_of(rows, std::nullopt);
    const StatisticCells cells{4, 1};
    const double count = weighed_shift(kCountLattice, Adjacency::add_remove, unit, cells).l2;
    const double sum = weighed_shift(centred, Adjacency::add_remove, unit, cells).l2;
    const JointStatistic joint[] = {{RowPart::presence, 0, 0, kCountLattice, count / rows},
                                    {RowPart::lattice, 1, 0, centred, sum / rows}};
    const double bound =
        joint_squares(joint, Adjacency::add_remove, true, [](int, int) { return false; });
    for (int trial = 0; trial < 3000; ++trial) {
      std::vector<std::vector<int>> of(4);
      for (std::uint64_t i = random.below(30); i > 0; --i) {
        of[random.below(4)].push_back(static_cast<int>(random.below(9)) - 4);
      }
      const NormBound norm = norm_bound(unit, 4, false, false);
      UnitSum all;
      for (const auto& group : of) all.add(norm, group.size());
      const double each = std::ldexp(weight_of_unit(norm, all, 20), -20);
      double moved = 0;
      for (const auto& group : of) {
        double values = 0;
        for (const int value : group) values += each * value;
        moved += std::pow(each * static_cast<double>(group.size()) / count, 2) +
                 std::pow(values / sum, 2);
      }
      EXPECT_LE(moved, bound);
    }
  }
}

}  // namespace
}  // namespace dpmix
