// Small tables, all outcomes one by one: what a set of groups with their noisy counts of units
// tells about one unit, against what is claimed.
#include "core/query/group_finder.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/adjacency.hpp"
#include "core/base/normal_tail.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/query/plan.hpp"

namespace dpmix {
namespace {

// Of one group of so many units: what is shown of it, -1 for nothing, and how likely.
using Shown = std::map<int, double>;
using Law = std::vector<double>;  // of noise -reach..reach, of which the middle is 0

Shown shown(const Law& noise, int shown_from, int units) {
  Shown made;
  const int reach = static_cast<int>(noise.size() / 2);
  for (int k = -reach; k <= reach; ++k) {
    const bool comes = units > 0 && units + k >= shown_from;
    made[comes ? units + k : -1] += units > 0 ? noise[static_cast<std::size_t>(k + reach)] : 0;
  }
  if (units == 0) made = {{-1, 1}};
  return made;
}

// sum (p - e^epsilon q)+ over the outcomes of independent groups.
double excess(double epsilon, const std::vector<Shown>& p, const std::vector<Shown>& q) {
  const std::function<double(std::size_t, double, double)> over = [&](std::size_t group, double a,
                                                                      double b) -> double {
    if (group == p.size()) return std::max(0., a - std::exp(epsilon) * b);
    std::map<int, std::pair<double, double>> outcomes;
    for (const auto& [value, mass] : p[group]) outcomes[value].first = mass;
    for (const auto& [value, mass] : q[group]) outcomes[value].second = mass;
    double sum = 0;
    for (const auto& [value, masses] : outcomes) {
      if (masses.first > 0) sum += over(group + 1, a * masses.first, b * masses.second);
    }
    return sum;
  };
  return over(0, 1, 1);
}

// The worst of a unit's tables: in each of its groups it is alone, or one of so many.
double worst(const Law& noise, int shown_from, int groups, double epsilon, int most_others) {
  std::vector<int> others(static_cast<std::size_t>(groups), 0);
  double found = 0;
  for (;;) {
    std::vector<Shown> there, not_there;
    for (const int n : others) {
      there.push_back(shown(noise, shown_from, n + 1));
      not_there.push_back(shown(noise, shown_from, n));
    }
    found = std::max({found, excess(epsilon, there, not_there), excess(epsilon, not_there, there)});
    std::size_t at = 0;
    while (at < others.size() && others[at] == most_others) others[at++] = 0;
    if (at == others.size()) return found;
    ++others[at];
  }
}

Law rounded_normal(double deviation) {
  const int reach = static_cast<int>(8 * deviation + 2);
  Law law;
  for (int k = -reach; k <= reach; ++k) {
    law.push_back(upper_tail((k - .5) / deviation) - upper_tail((k + .5) / deviation));
  }
  return law;
}

// The exact rule of docs/proofs/partition_selection.md, of add_remove.
double threshold_delta(double epsilon, double deviation, int groups, double alone) {
  const auto gaussian = [&](double e, int shared) {
    if (shared == 0) return std::max(0., 1 - std::exp(e));
    const double mu = std::sqrt(shared) / deviation;
    return e >= 0 ? gdp_delta(e, mu) : 1 - std::exp(e) + std::exp(e) * gdp_delta(-e, mu);
  };
  double most = 0;
  for (int j = 0; j <= groups; ++j) {
    const double a = std::pow(1 - alone, j);
    most = std::max({most, 1 - a + a * gaussian(epsilon - std::log(a), groups - j),
                     gaussian(epsilon + std::log(a), groups - j)});
  }
  return most;
}

TEST(GroupFinder, AThresholdTellsNoMoreThanItsRule) {
  int too_little = 0;
  for (const double deviation : {.6, 1., 1.7}) {
    const Law noise = rounded_normal(deviation);
    for (const int threshold : {2, 3, 4, 5}) {
      for (const int groups : {1, 2}) {
        for (const double epsilon : {0., .3, 1., 2.}) {
          const double reached = worst(noise, threshold, groups, epsilon, groups == 1 ? 6 : 3);
          const double alone = upper_tail((threshold - 1.5) / deviation);
          const double rule = threshold_delta(epsilon, deviation, groups, alone);
          EXPECT_LE(reached, rule + 1e-9) << deviation << " " << threshold << " " << groups;
          // The rule is within what is charged: d for groups of one unit, the rest for the noise.
          const double d = 1 - std::pow(1 - alone, groups);
          EXPECT_LE(rule, d + gdp_delta(epsilon, std::sqrt(groups) / deviation) + 1e-12);
          // Noise of whole numbers: with threshold - 1 in place of threshold - 3/2 it is false.
          const double less = upper_tail((threshold - 1) / deviation);
          too_little += reached > threshold_delta(epsilon, deviation, groups, less) + 1e-9;
        }
      }
    }
  }
  EXPECT_GT(too_little, 0);
}

TEST(GroupFinder, AThresholdThatIsPlannedKeepsItsDelta) {
  for (const double epsilon : {.5, 1., 2.}) {
    for (const double delta : {.05, 1e-2}) {
      for (const int groups : {1, 2}) {
        const double share = share_with_threshold(epsilon, delta, groups).search.each_delta;
        const double deviation = std::sqrt(groups) / gdp_mu(epsilon, delta / 2);
        const auto from = static_cast<int>(threshold_of(deviation, share));
        if (deviation > 6) continue;
        const Law noise = rounded_normal(deviation);
        EXPECT_LE(worst(noise, from, groups, epsilon, 2), delta);
        // A group of one unit comes back as often as was said.
        double alone = 0;
        for (const auto& [value, mass] : shown(noise, from, 1)) alone += value >= 0 ? mass : 0;
        EXPECT_LE(alone, share + 1e-12);
      }
    }
  }
}

// Weights
// ------------------------------------------------------------------------------------------------

constexpr int kFineBits = 2;  // few, so that all outcomes can be looked at
const int kWhole = 1 << kFineBits;

// What a unit in so many groups counts in each.
int weight_among(std::size_t groups) {
  int weight = 0;
  while (groups > 0 && (weight + 1) * (weight + 1) * static_cast<int>(groups) <= kWhole * kWhole)
    ++weight;
  return weight;
}

// Of groups in which others weigh so much: what is shown where a unit is in some of them.
std::vector<Shown> with_unit(const Law& noise, int shown_from, const std::vector<int>& others,
                             const std::vector<bool>& in) {
  const int weight = weight_among(static_cast<std::size_t>(std::ranges::count(in, true)));
  std::vector<Shown> made;
  for (std::size_t g = 0; g < others.size(); ++g) {
    made.push_back(shown(noise, shown_from, others[g] + (in[g] ? weight : 0)));
  }
  return made;
}

// Random neighbours: a unit in up to `keys` groups, alone in some of them, and under `replace` in
// others before. The most that they tell, and how often that is more than `claim`.
struct Told {
  double most = 0;
  int beyond = 0;
};
Told search_neighbours(const Law& noise, int shown_from, int keys, Adjacency adjacency,
                       double epsilon, double claim) {
  const std::size_t groups = keys < 3 ? 2 : 3;
  std::uint64_t state = 5;
  const auto below = [&](std::uint64_t n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % n;
  };
  const auto groups_of_unit = [&](int most) {
    std::vector<bool> in(groups, false);
    for (int left = most; left > 0; --left) in[below(groups)] = true;
    return in;
  };
  Told told;
  for (int trial = 0; trial < (keys < 3 ? 30 : 3); ++trial) {
    std::vector<int> others;
    for (std::size_t g = 0; g < groups; ++g) {
      others.push_back(below(2) == 0 ? 0 : static_cast<int>(below(5 * kWhole)));
    }
    const bool moves = adjacency == Adjacency::replace;
    const std::vector<bool> none(groups, false);
    const auto before = with_unit(noise, shown_from, others, moves ? groups_of_unit(keys) : none);
    const auto after = with_unit(noise, shown_from, others, groups_of_unit(keys));
    for (const double one : {excess(epsilon, before, after), excess(epsilon, after, before)}) {
      told.most = std::max(told.most, one);
      told.beyond += one > claim + 1e-9;
    }
  }
  return told;
}

TEST(GroupFinder, NoNeighboursOfWeighedUnitsTellMoreThanTheThresholdAllows) {
  int too_little = 0;
  for (const double deviation : {.5, .8}) {
    const Law noise = rounded_normal(deviation * kWhole);
    for (const double d : {1e-3, .02}) {
      for (const int keys : {1, 2, 3}) {
        if (keys == 3 && deviation > .5) continue;
        const int from =
            static_cast<int>(kWhole * weighed_threshold(deviation, d, keys, kFineBits));
        for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace}) {
          const double norm = adjacency == Adjacency::replace ? std::sqrt(2.) : 1;
          for (const double epsilon : {.5, 2.}) {
            const double claim = d + gdp_delta(epsilon, norm / deviation);
            EXPECT_EQ(search_neighbours(noise, from, keys, adjacency, epsilon, claim).beyond, 0)
                << deviation << " " << d << " " << keys << " " << epsilon;
          }
        }
        // Three steps less, and a unit alone in all of its groups shows more often than d.
        const Told told = search_neighbours(noise, from - 3, keys, Adjacency::add_remove, 5,
                                            d + gdp_delta(5, 1 / deviation));
        too_little += told.beyond;
      }
    }
  }
  EXPECT_GT(too_little, 0);
}

TEST(GroupFinder, OfWeighedUnitsNoneMeansNothingIsShown) {
  const double deviation = 2;
  const GroupSearch search{.kind = SearchKind::threshold,
                           .deviation = deviation,
                           .shown_from = weighed_threshold(deviation, 1e-6, 20, 20),
                           .weight_bits = 20,
                           .keys = 20};
  const GroupFinder finder(search, nullptr);
  RandomStream random({9});
  const KeptFrom kept = kept_from(search);
  EXPECT_EQ(kept.half, std::ceil(search.shown_from));
  EXPECT_GT(kept.half_of_busy, 4.4 * search.shown_from);
  EXPECT_LT(kept.half_of_busy, 4.5 * search.shown_from + 1);
  int shown_at_half = 0;
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_FALSE(finder.find(random, 0));
    const auto found = finder.find(random, static_cast<std::uint64_t>(search.shown_from * 0x1p20));
    shown_at_half += found.has_value();
    // 40 deviations above.
    EXPECT_TRUE(finder.find(random, static_cast<std::uint64_t>((search.shown_from + 80) * 0x1p20)));
  }
  EXPECT_NEAR(shown_at_half, 10'000, 460);  // 6.5 deviations: below 1e-10
}

// e^(-epsilon |k|) up to the cutoff, as the law of a step family on counts is.
Law truncated(double epsilon, int cutoff) {
  Law law;
  double sum = 0;
  for (int k = -cutoff; k <= cutoff; ++k) {
    law.push_back(std::exp(-epsilon * std::abs(k)));
    sum += law.back();
  }
  for (double& mass : law) mass /= sum;
  return law;
}

TEST(GroupFinder, NoiseThatIsCutOffKeepsItsDelta) {
  for (const double epsilon : {.2, 1., 2.}) {
    for (const int cutoff : {1, 2, 5, 14}) {
      const double r = std::exp(-epsilon);
      const double delta = (1 - r) * std::pow(r, cutoff) / (1 + r - 2 * std::pow(r, cutoff + 1));
      const double reached = worst(truncated(epsilon, cutoff), cutoff + 1, 1, epsilon, 80);
      EXPECT_LE(reached, delta * (1 + 1e-9) + 1e-15);  // rounding
      EXPECT_GE(reached, delta * (1 - 1e-9));          // by a group of one unit: exact
      // `>= k` in place of `> k` shows groups of one unit too often.
      EXPECT_GT(worst(truncated(epsilon, cutoff), cutoff, 1, epsilon, 80), 1.5 * delta);
    }
  }
}

TEST(GroupFinder, WhatIsPlannedShowsNothingThatNoiseCanBe) {
  const StatisticShift one = statistic_shift(kCountLattice, Adjacency::add_remove, true);
  const Filter filter(Accountant::basic, Decimal::printed(100), Decimal::printed(.5), 0);
  for (const Family family : {Family::truncated_laplace, Family::tulap, Family::optimal}) {
    for (const double epsilon : {.3, 1., 30.}) {
      for (const double delta : {1e-9, 1e-3, .2}) {
        std::vector<StatisticNoise> noise(1);
        const QueryPlan plan =
            plan_query({epsilon, delta, family, {1, 1, 0, one}}, filter, std::span(&one, 1), noise);
        ASSERT_EQ(plan.search.kind, SearchKind::cut_off);
        EXPECT_EQ(plan.search.shown_from, noise[0].law.steps.cutoff + 1);
        const GroupFinder finder(plan.search, &noise[0].law);
        RandomStream random({3});
        EXPECT_FALSE(finder.find(random, 0));
        const auto sure = static_cast<std::uint64_t>(*kept_from(plan.search).all);
        for (int i = 0; i < 1000; ++i) {
          const auto found = finder.find(random, sure);
          ASSERT_TRUE(found);
          EXPECT_GE(*found, static_cast<Int128>(plan.search.shown_from));
        }
      }
    }
  }
}

}  // namespace
}  // namespace dpmix
