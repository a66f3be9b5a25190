#include "core/query/unit_sample.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/random/stream.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_rational;
using Law = std::map<std::vector<bool>, cpp_rational>;  // of which rows are kept

struct Notes {
  std::vector<std::uint64_t>* words;
  std::size_t size() const { return words->size(); }
  std::uint64_t& operator[](std::size_t unit) const { return (*words)[unit]; }
};
using Sample = UnitSample<Notes>;

// Goes through all that it can answer, one run after the other, with the probability of each.
class AllBits {
 public:
  std::uint64_t below(std::uint64_t bound) {
    if (at_ == path_.size()) path_.push_back({0, bound});
    EXPECT_EQ(path_[at_].second, bound);
    return path_[at_++].first;
  }
  cpp_rational probability() const {
    cpp_rational product = 1;
    for (const auto& [answer, bound] : path_) product /= bound;
    return product;
  }
  bool next() {
    at_ = 0;
    while (!path_.empty() && path_.back().first + 1 == path_.back().second) path_.pop_back();
    if (path_.empty()) return false;
    path_.back().first++;
    return true;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> path_;
  std::size_t at_ = 0;
};

// docs/proofs/query_units.md, word by word; draw[i]: of row i, all different.
std::vector<bool> defined(const Contribution& most, const std::vector<int>& group,
                          const std::vector<int>& draw) {
  const std::size_t rows = group.size();
  std::map<int, int> least;
  for (std::size_t i = 0; i < rows; i++) {
    const auto [known, added] = least.try_emplace(group[i], draw[i]);
    if (!added) known->second = std::min(known->second, draw[i]);
  }
  std::vector<bool> in_groups(rows), kept(rows);
  for (std::size_t i = 0; i < rows; i++) {
    int n = 0, rank = 0;
    for (std::size_t j = 0; j < rows; j++) n += group[j] == group[i] && draw[j] <= draw[i];
    for (const auto& [other, draws] : least) rank += draws <= least[group[i]];
    in_groups[i] = n <= most.rows_per_group && rank <= most.groups;
  }
  for (std::size_t i = 0; i < rows; i++) {
    int k = 0;
    for (std::size_t j = 0; j < rows; j++) k += in_groups[j] && draw[j] <= draw[i];
    kept[i] = in_groups[i] && k <= most.rows;
  }
  return kept;
}

Law defined_law(const Contribution& most, const std::vector<int>& group) {
  std::vector<int> draw(group.size());
  std::iota(draw.begin(), draw.end(), 0);
  Law law;
  cpp_rational orders = 0;
  do {
    law[defined(most, group, draw)] += 1;
    orders++;
  } while (std::next_permutation(draw.begin(), draw.end()));
  for (auto& [kept, probability] : law) probability /= orders;
  return law;
}

// Of one unit; the rows come the other way round the second time, and among those of others.
Law sampled_law(const Contribution& most, const std::vector<int>& group, bool by_group) {
  Law law;
  AllBits bits;
  do {
    std::vector<std::uint64_t> words(2);
    Sample sample(most, by_group, 7, Notes{&words});
    sample.count(0, 0);
    for (const int g : group) sample.count(1, g);
    sample.choose(bits);
    std::vector<bool> kept(group.size());
    for (std::size_t i = group.size(); i-- > 0;) kept[i] = sample.keeps(1, group[i], bits);
    EXPECT_TRUE(sample.keeps(0, 0, bits));
    law[kept] += bits.probability();
  } while (bits.next());
  return law;
}

// Each way to put so many rows into groups, up to their names.
std::vector<std::vector<int>> groupings(std::size_t rows) {
  std::vector<std::vector<int>> all = {{}};
  for (std::size_t i = 0; i < rows; i++) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& known : all) {
      const int next = known.empty() ? 0 : *std::max_element(known.begin(), known.end()) + 1;
      for (int g = 0; g <= next; g++) {
        longer.push_back(known);
        longer.back().push_back(g);
      }
    }
    all = longer;
  }
  return all;
}

TEST(UnitSample, TheLawIsThatOfTheLeastDraws) {
  for (std::size_t rows = 1; rows <= 4; rows++) {
    for (const std::vector<int>& group : groupings(rows)) {
      for (int most = 1; most <= 3; most++) {
        for (int groups = 1; groups <= most; groups++) {
          for (int per_group = 1; per_group <= most; per_group++) {
            const Contribution bounds = {most, per_group, groups};
            ASSERT_EQ(sampled_law(bounds, group, true), defined_law(bounds, group))
                << rows << " rows, bounds " << most << ' ' << per_group << ' ' << groups;
          }
        }
      }
    }
  }
}

TEST(UnitSample, TheLawOfLargerUnits) {
  for (const std::vector<int>& group : {std::vector<int>{0, 0, 1, 1, 1},
                                        {0, 1, 2, 2, 2},
                                        {0, 1, 1, 2, 2},
                                        {0, 0, 0, 0, 1},
                                        {0, 0, 0, 1, 1, 2}}) {
    for (const Contribution& bounds : {Contribution{2, 1, 2}, {3, 2, 2}, {2, 2, 1}, {3, 2, 3}}) {
      ASSERT_EQ(sampled_law(bounds, group, true), defined_law(bounds, group));
    }
  }
}

TEST(UnitSample, WithoutGroupsTheLawIsThatOfOneGroup) {
  for (int rows = 1; rows <= 5; rows++) {
    for (int most = 1; most <= 4; most++) {
      const std::vector<int> group(rows);
      const Contribution bounds = {most, most, most};
      ASSERT_EQ(sampled_law(bounds, group, false), defined_law(bounds, group));
    }
  }
}

// Thousands of units at once, in random orders.
TEST(UnitSample, ManyUnitsKeepTheBoundsAndAsMuchAsTheyAllow) {
  RandomStream random({5});
  for (const Contribution& bounds : {Contribution{6, 6, 6}, {6, 2, 3}, {7, 3, 3}, {1, 1, 1}}) {
    constexpr std::uint32_t kUnits = 3000;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;
    for (std::uint32_t unit = 0; unit < kUnits; unit++) {
      const std::uint64_t count = 1 + random.below(20), groups = 1 + random.below(8);
      for (std::uint64_t i = 0; i < count; i++) rows.push_back({unit, random.below(groups) * unit});
    }
    std::vector<std::uint64_t> words(kUnits);
    Sample sample(bounds, true, 3, Notes{&words});
    const auto shuffle = [&] {
      for (std::size_t i = rows.size(); i > 1; i--) std::swap(rows[i - 1], rows[random.below(i)]);
    };
    shuffle();
    std::map<std::uint32_t, std::map<std::uint32_t, int>> had, kept;
    for (const auto& [unit, group] : rows) {
      sample.count(unit, group);
      had[unit][group]++;
    }
    sample.choose(random);
    shuffle();
    int counted = 0;
    for (const auto& [unit, group] : rows) {
      if (!sample.keeps(unit, group, random)) continue;
      kept[unit][group]++;
      counted += sample.first(1, unit, group);
    }
    int pairs = 0;
    for (const auto& [unit, groups] : kept) {
      int all = 0, full = 0;
      for (const auto& [group, n] : groups) {
        EXPECT_LE(n, std::min(had[unit][group], bounds.rows_per_group));
        full += n == std::min(had[unit][group], bounds.rows_per_group);
        all += n;
        pairs++;
      }
      EXPECT_LE(all, bounds.rows);
      EXPECT_LE(groups.size(), bounds.groups);
      const std::size_t most = std::min<std::size_t>(bounds.groups, had[unit].size());
      EXPECT_TRUE(all == bounds.rows || (groups.size() == most && full == (int)groups.size()));
    }
    EXPECT_EQ(kept.size(), kUnits);
    EXPECT_EQ(counted, pairs);
  }
}

TEST(UnitSample, RowsThatWereNotCountedAreNeverKept) {
  RandomStream random({6});
  for (const bool by_group : {false, true}) {
    std::vector<std::uint64_t> words(1);
    Sample sample({2, 2, 2}, by_group, 1, Notes{&words});
    for (int i = 0; i < 5; i++) sample.count(0, 0);
    sample.choose(random);
    int kept = 0;
    for (int i = 0; i < 5; i++) kept += sample.keeps(0, 0, random);
    EXPECT_EQ(kept, 2);
    EXPECT_THROW(sample.keeps(0, 0, random), std::logic_error);
    if (by_group) {
      EXPECT_THROW(sample.keeps(0, 1, random), std::logic_error);
    }
  }
}

// Whatever the bounds are.
TEST(UnitSample, TellsHowManyRowsEachUnitHas) {
  std::vector<std::uint64_t> words(3);
  Sample sample(contribution_of(2, std::nullopt), false, 1, {&words});
  for (const std::uint32_t unit : {2, 0, 2, 2, 1, 2}) sample.count(unit, 0);
  std::vector<std::uint64_t> rows;
  sample.each_unit([&](std::uint64_t each) { rows.push_back(each); });
  EXPECT_EQ(rows, (std::vector<std::uint64_t>{1, 1, 4}));
}

TEST(UnitSample, EachListAsksAboutAUnitOnce) {
  std::vector<std::uint64_t> words(2);
  RandomStream random({7});
  Sample sample({5, 5, 5}, true, 1, Notes{&words});
  for (const std::uint32_t unit : {0, 1}) {
    for (const std::uint32_t group : {0, 1, 0}) sample.count(unit, group);
  }
  sample.choose(random);
  std::set<std::pair<int, std::pair<std::uint32_t, std::uint32_t>>> seen;
  for (int turn = 0; turn < 2; turn++) {
    for (const int list : {2, 0}) {
      for (const std::uint32_t unit : {0, 1}) {
        for (const std::uint32_t group : {1, 0}) {
          EXPECT_EQ(sample.first(list, unit, group), seen.insert({list, {unit, group}}).second);
        }
      }
    }
  }
}

TEST(WeightedPlaces, AreThoseOfTheSums) {
  RandomStream random({8});
  for (const std::size_t size : {1, 2, 3, 7, 8, 9, 100}) {
    std::vector<std::uint64_t> weights(size);
    for (std::uint64_t& weight : weights) weight = random.below(4);
    WeightedPlaces places;
    places.assign(weights);
    for (;;) {
      std::vector<std::size_t> expected;
      for (std::size_t i = 0; i < size; i++) expected.insert(expected.end(), weights[i], i);
      ASSERT_EQ(places.total(), expected.size());
      for (std::size_t i = 0; i < expected.size(); i++) ASSERT_EQ(places.place(i), expected[i]);
      if (expected.empty()) break;
      const std::size_t at = expected[random.below(expected.size())];
      if (random.bit()) {
        places.lower(at, 1);
        weights[at]--;
      } else {
        places.close(at);
        weights[at] = 0;
      }
    }
  }
}

}  // namespace
}  // namespace dpmix
