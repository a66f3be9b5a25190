#include "core/query/group_discovery.hpp"

#include <string>

#include "core/base/next_double.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/calibration.hpp"
#include "core/noise/partition_selection.hpp"

namespace dpmix {
namespace {

// Below the exact quotient.
double part(double whole, double parts) {
  return parts == 1 ? whole : next_down(whole / parts);
}

}  // namespace

int changed_coins(Adjacency adjacency, int groups) {
  return adjacency == Adjacency::replace ? 2 * groups : groups;  // left, and entered
}

DiscoveryShares share_with_search(double epsilon, double delta, int statistics, int coins,
                                  bool pure) {
  if (delta == 0) {
    refuse_parameter("finding groups needs a delta",
                     "keys is \"discover\" and delta is 0: a group whose name nobody declared can "
                     "only come back with a small probability of telling that it is there.",
                     "Pass a delta such as 1e-6, or declare the keys' categories or bounds.");
  }
  DiscoveryShares shares{};
  GroupSearch& search = shares.search;
  search.coins = coins;
  search.epsilon = part(epsilon, statistics + 1.0);
  search.delta = pure ? delta : part(delta, 2);
  shares.epsilon = next_down(epsilon - search.epsilon);
  shares.delta = pure ? 0 : next_down(delta - search.delta);
  search.each_epsilon = part(search.epsilon, coins);
  search.each_delta = part(search.delta, coins);
  if (search.each_epsilon < kLeastSelectionEpsilon || search.each_delta < kLeastDelta) {
    refuse_parameter("epsilon or delta is too small to find groups",
                     "A share of both is divided among the " + std::to_string(coins) +
                         " groups that one privacy unit may change; each part of epsilon must be "
                         "at least 1e-9, of delta at least 1e-300.",
                     "Ask for a larger epsilon or delta, or for a smaller max_groups.");
  }
  return shares;
}

Cost cost_of_search(const Accounting& table, const GroupSearch& search) {
  if (!table.counts_cost()) return {};
  const Cost one = cost_of_guarantee(table, search.each_epsilon, search.each_delta);
  // The shares of delta add up to no more than delta.
  return {search.coins == 1 ? one.amount : next_up(one.amount * search.coins), search.delta};
}

}  // namespace dpmix
