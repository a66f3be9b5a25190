// Groups that are kept: how often, and what keeping them tells about one unit.
#include "core/noise/partition_selection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/query/contribution.hpp"
#include "core/query/group_finder.hpp"
#include "core/query/plan.hpp"
#include "statistical/privacy_audit.hpp"

namespace dpmix::test {
namespace {

TEST(PartitionSelectionFrequency, IsTheProbability) {
  RandomStream random({41});
  const std::vector<std::pair<double, double>> guarantees = {
      {1, 1e-3}, {.2, .05}, {3, .2}, {.01, .01}, {10, 1e-2}};
  for (const auto& [epsilon, delta] : guarantees) {
    const PartitionSelection selection(epsilon, delta);
    const std::uint64_t step = std::max<std::uint64_t>(1, selection.sure_from() / 7);
    for (std::uint64_t n = 1; n < selection.sure_from(); n += step) {
      constexpr int draws = 100'000;
      const double p = selection.probability(n);
      int kept = 0;
      for (int i = 0; i < draws; ++i) kept += selection.keeps(random, n);
      // Bernstein: below 1e-11 for each of the about 40 numbers.
      EXPECT_NEAR(kept, draws * p, 7.3 * std::sqrt(draws * p * (1 - p)) + 18)
          << epsilon << " " << n;
    }
  }
}

// One unit in three groups of two units besides it, or moved from three groups to three others: the
// likeliest event is that all of them come, or none.
AuditResult audit(Adjacency adjacency, double scale, const AuditClaim& claim, std::uint8_t seed) {
  constexpr int groups = 3;
  const GroupSearch search =
      share_with_coins(2 * claim.epsilon, claim.delta, 1, changed_groups(adjacency, groups), true)
          .search;
  const PartitionSelection selection(search.each_epsilon * scale, search.each_delta);
  // Where the law turns: steepest.
  const std::uint64_t others = selection.likely_from() - 1;
  RandomStream random({seed});
  const auto kept = [&](std::uint64_t units) {
    int count = 0;
    for (int g = 0; g < groups; ++g) count += selection.keeps(random, units);
    return count;
  };
  const bool moves = adjacency == Adjacency::replace;
  const auto event = [&](bool there) {
    const int first = kept(others + (there ? 1 : 0));
    const int second = moves ? kept(others + (there ? 0 : 1)) : 0;
    return first == groups && second == 0;
  };
  return audit_event([&] { return event(true); }, [&] { return event(false); }, claim);
}

TEST(PartitionSelectionAudit, AUnitInSeveralGroupsCostsWhatIsCharged) {
  const AuditClaim claim{3, .3, 1 - 1e-10, 200'000};
  EXPECT_FALSE(audit(Adjacency::add_remove, 1, claim, 42).refutes(claim));
  EXPECT_FALSE(audit(Adjacency::replace, 1, claim, 43).refutes(claim));
  // And it would be seen if each group took all of it.
  const AuditClaim lower{.3, 1e-3, 1 - 1e-10, 200'000};
  EXPECT_TRUE(audit(Adjacency::add_remove, 3, lower, 44).refutes(lower));
  EXPECT_TRUE(audit(Adjacency::replace, 6, lower, 45).refutes(lower));
}

// One unit, alone in one group and one of several in two others; what is shown of the three. more:
// how much more often than planned numbers are shown.
AuditResult audit_threshold(double more, const AuditClaim& claim, std::uint8_t seed) {
  constexpr int groups = 3, others = 40;
  const Filter filter(Accountant::basic, Decimal::printed(4), Decimal::printed(.4), 0);
  const StatisticShift shift =
      shift_of_units(Adjacency::add_remove, contribution_of(groups, groups), 1000);
  Noise noise(1);
  GroupSearch search =
      plan_query({claim.epsilon, claim.delta, Family::gaussian, {groups, groups, 0, shift}}, filter,
                 std::span(&shift, 1), noise)
          .search;
  search.shown_from -= more;
  const GroupFinder finder(search, &noise[0].law);
  RandomStream random({seed});
  const auto score = [&](bool there) {
    const std::uint64_t unit = there ? 1 : 0;
    double sum = finder.find(random, unit) ? 1e6 : 0;
    for (int g = 1; g < groups; ++g) {
      sum += static_cast<double>(finder.find(random, others + unit).value_or(0));
    }
    return sum;
  };
  return audit_scores([&] { return score(false); }, [&] { return score(true); }, claim);
}

TEST(GroupFinderAudit, AThresholdCostsWhatIsCharged) {
  const AuditClaim claim{.5, .1, 1 - 1e-10, 200'000};
  EXPECT_FALSE(audit_threshold(0, claim, 46).refutes(claim));
  EXPECT_TRUE(audit_threshold(9, claim, 47).refutes(claim));
}

// One unit of four groups, alone in two of them, and one of several in the others, who are in two
// groups each. less: how much lower than planned the threshold is.
AuditResult audit_weights(double less, const AuditClaim& claim, std::uint8_t seed) {
  constexpr int groups = 4, bits = 20;
  const Filter filter(Accountant::basic, Decimal::printed(4), Decimal::printed(.4), 0);
  const std::vector<StatisticShift> none(
      1, shift_of_units(Adjacency::add_remove, contribution_of(1, 1), 1000));
  Noise noise(1);
  UnitCount units{groups, groups, -1, none[0], bits, none[0]};
  GroupSearch search =
      plan_query({claim.epsilon, claim.delta, Family::gaussian, units}, filter, none, noise).search;
  search.shown_from -= less;
  const GroupFinder finder(search, nullptr);
  RandomStream random({seed});
  const std::uint64_t mine = 1 << (bits - 1), others = 30 * static_cast<std::uint64_t>(741455);
  const auto score = [&](bool there) {
    const std::uint64_t unit = there ? mine : 0;
    double sum = 0;
    for (int g = 0; g < 2; ++g) sum += finder.find(random, unit) ? 1e9 : 0;
    for (int g = 2; g < groups; ++g) {
      sum += static_cast<double>(finder.find(random, others + unit).value_or(0));
    }
    return sum;
  };
  return audit_scores([&] { return score(false); }, [&] { return score(true); }, claim);
}

TEST(GroupFinderAudit, AThresholdOfWeightsCostsWhatIsCharged) {
  const AuditClaim claim{.5, .1, 1 - 1e-10, 200'000};
  EXPECT_FALSE(audit_weights(0, claim, 48).refutes(claim));
  EXPECT_TRUE(audit_weights(5, claim, 49).refutes(claim));
}

}  // namespace
}  // namespace dpmix::test
