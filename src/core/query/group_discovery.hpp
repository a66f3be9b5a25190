// What a query pays for finding its groups, where their names are not public: a share of its
// guarantee, and its own profile.
//
// Enters: the guarantee of the whole call, how many statistics its groups have, how many groups
// gain or lose a unit between neighbours. Leaves: the guarantee of the coin that keeps one group
// (mechanism/partition_selection), that of all coins, and what is left for the statistics.
// Guaranteed: coins and statistics together take no more than the call asked for. Proof:
// docs/proofs/partition_selection.md.
#pragma once

#include "core/accounting/accountant.hpp"
#include "core/base/adjacency.hpp"

namespace dpmix {

struct GroupSearch {
  int coins = 0;                  // that neighbours change, at most; 0: groups are declared
  double epsilon = 0, delta = 0;  // of all of them
  double each_epsilon = 0, each_delta = 0;  // of one
};

struct DiscoveryShares {
  GroupSearch search;
  double epsilon, delta;  // of the statistics; delta is 0 where their noise is pure
};

// Of a unit in at most so many groups. The adjacency is not `label`.
int changed_coins(Adjacency adjacency, int groups);

// epsilon and delta: doubles that do not exceed what is charged. pure: the statistics take no
// delta. Error PV005: delta is 0; a coin's epsilon is below 1e-9 or its delta below 1e-300.
DiscoveryShares share_with_search(double epsilon, double delta, int statistics, int coins,
                                  bool pure);

Cost cost_of_search(const Accounting& table, const GroupSearch& search);

}  // namespace dpmix
