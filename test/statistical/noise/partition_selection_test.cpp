// Groups that are kept: how often, and what keeping them tells about one unit.
#include "core/noise/partition_selection.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/query/group_discovery.hpp"
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
      share_with_search(2 * claim.epsilon, claim.delta, 1, changed_coins(adjacency, groups), true)
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

}  // namespace
}  // namespace dpmix::test
