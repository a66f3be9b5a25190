// What a query pays for finding its groups, where their names are not public: a share of its
// guarantee, and its own profile.
//
// Enters: the guarantee of the whole call, how many statistics its groups have, how many groups
// gain or lose a unit between neighbours. Leaves: how the groups that come back are told, and what
// is left for the statistics.
// Guaranteed: search and statistics together take no more than the call asked for. Proof:
// docs/proofs/partition_selection.md.
#pragma once

#include <optional>
#include <string_view>

#include "core/accounting/accountant.hpp"
#include "core/base/adjacency.hpp"

namespace dpmix {

enum class SearchKind {
  none,       // groups are declared
  coin,       // by a coin of their number of units (noise/partition_selection)
  threshold,  // by their noisy number of units, which of a single unit hardly ever is large enough
  cut_off,    // ... which is larger than the noise alone can be
};
// partition_selection, threshold, cut_off
std::string_view name(SearchKind kind);

struct GroupSearch {
  SearchKind kind = SearchKind::none;
  int groups = 0;                           // that neighbours change, at most
  double epsilon = 0, delta = 0;            // of all of it, besides what the statistics have
  double each_epsilon = 0, each_delta = 0;  // of one group; threshold: that one unit is shown
  // The statistic that is the number of units. -1: none; a threshold has noise of its own then.
  int statistic = -1;
  double deviation = 0;  // of that noise
  // But for coins: the least noisy number of units that comes back, whole; of weighed ones in
  // multiples of 2^-weight_bits.
  double shown_from = 0;
  // threshold: a unit in t groups counts in each of them as 1/sqrt(t), rounded down to a multiple
  // of 2^-weight_bits; in `keys` groups at most. 0: as 1.
  int weight_bits = 0;
  int keys = 0;
  double rest_delta = 0;  // threshold: that of all noise
};

struct DiscoveryShares {
  GroupSearch search;
  double epsilon, delta;  // of the statistics; delta is 0 where their noise is pure
};

// How many groups a unit in at most so many changes. The adjacency is not `label`.
int changed_groups(Adjacency adjacency, int groups);

// Below: epsilon and delta are doubles that do not exceed what is charged. Error PV005: delta is
// 0; the share of a group is too small, a coin's epsilon below 1e-9 or any delta below 1e-300.

// The shares where coins find the groups. pure: the statistics take no delta.
DiscoveryShares share_with_coins(double epsilon, double delta, int statistics, int changed,
                                 bool pure);
// The shares where a threshold on Gaussian noise finds them, for a unit in at most so many groups.
DiscoveryShares share_with_threshold(double epsilon, double delta, int groups);
// That threshold: a group of one unit reaches it with a probability of each_delta at most.
double threshold_of(double deviation, double each_delta);
// The same for weighed units: of one in any number of groups up to `keys`, alone in all of them,
// none is shown but with a probability of delta at most.
double weighed_threshold(double deviation, double delta, int keys, int weight_bits);

Cost cost_of_search(const Accounting& table, const GroupSearch& search);

// Numbers of units from which a group comes back half of the time, and always (none: never so).
struct KeptFrom {
  double half;
  std::optional<double> all;
  // Of units that are in as many groups as may be, where that matters: `half` is of units in one.
  double half_of_busy;
};
KeptFrom kept_from(const GroupSearch& search);

}  // namespace dpmix
