// The statistics of a query together with the search for its groups, by one family of noise.
//
// Which search there is follows from the family: Gaussian noise has a threshold on the noisy number
// of units; noise that is cut off shows the groups whose noisy number of units it cannot be by
// itself, where that number is among the statistics; beside all other noise groups have coins.
// Guaranteed: the joint release is (epsilon, delta)-DP of the call, with the profile of its plan.
// Proof: docs/proofs/partition_selection.md.
#pragma once

#include <limits>
#include <optional>
#include <span>

#include "core/accounting/filter.hpp"
#include "core/query/family_noise.hpp"

namespace dpmix {

struct UnitCount {     // the number of units of a group
  int groups = 0;      // in which a unit is, at most; 0: groups are declared, all come back
  int changed = 0;     // that neighbours change, at most
  int statistic = -1;  // that is this number; -1: none
  StatisticShift shift = {};
  // Where units can be weighed, for a threshold on a number of its own: in 2^-weight_bits, and how
  // far neighbours move that. 0: they cannot.
  int weight_bits = 0;
  StatisticShift weighed = {};
};

struct QueryRequest {
  double epsilon, delta;            // of the whole call
  std::optional<Family> mechanism;  // absent: `auto`
  UnitCount units = {};
  // The price of all statistics together, from joint_shift.hpp; absent: each may move by its worst
  // at once. With a search of groups no statistic shares its noise.
  std::optional<JointPrice> joint = std::nullopt;
  bool accurate = false;  // of `auto`: the least error, whatever it costs
  // What the role through whose grant the caller has access may spend in all, as epsilon: infinite
  // where it has none.
  double cap = std::numeric_limits<double>::infinity();
  // How many lists have their numbers of units that are weighed down released beside Gaussian
  // noise.
  int bounded_lists = 0;
  // Whether Laplace noise of several statistics is drawn together (box_noise.hpp): as it is where
  // another table of the query decides. Absent: where that is less noise and costs no more.
  std::optional<bool> together = std::nullopt;
};

// What a family has to make noise for.
struct SearchedProblem {
  Problem problem;  // the statistics; last the number of units, where the search has its own noise
  GroupSearch search;
  double epsilon, delta;  // of the call, as charged
};

// Error PV005: as check_epsilon_delta, share_with_coins and share_with_threshold.
SearchedProblem searched_problem(const QueryRequest& request, const Accounting& accounting,
                                 std::span<const StatisticShift> statistics, Calibrator calibrate,
                                 Family family);
// The plan of both, from that of the statistics alone.
QueryPlan with_search(const QueryPlan& statistics, const SearchedProblem& searched,
                      const Filter& filter);
// Tells the plan which noisy numbers of units are shown, and takes the noise of the search alone
// from the list. Error PV005: noise that should be cut off is not.
void finish_search(QueryPlan& plan, Noise& noise);

}  // namespace dpmix
