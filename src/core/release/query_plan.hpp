// The noise and the price of one query, from public numbers alone.
//
// Enters: for each statistic the lattice it is summed on (a count: kCountLattice), the guarantee
// asked for the whole call, and the table's filter. Leaves: a noise law in lattice units for each
// statistic, and what the joint release of all statistics of all groups guarantees and costs.
// Guaranteed: that release is (plan.epsilon, plan.delta)-DP, and has plan.own where has_own.
// Parallel composition over groups and the replace relation: docs/proofs/query.md.
#pragma once

#include <optional>
#include <span>

#include "core/accounting/filter.hpp"
#include "core/adjacency.hpp"
#include "core/input/lattice.hpp"
#include "core/mechanism/calibration.hpp"
#include "core/mechanism/noise_law.hpp"

namespace dpmix {

constexpr Lattice kCountLattice{0, 1, 0, 1};  // each row counted adds 1

// How far neighbours move one statistic, in lattice steps.
struct StatisticShift {
  double each;    // the change of one group
  double l1, l2;  // norms of the change over all groups
  int groups;     // how many groups change at most
};
StatisticShift statistic_shift(const Lattice& lattice, Adjacency adjacency, bool grouped);

struct QueryRequest {
  double epsilon, delta;            // of the whole call
  std::optional<Family> mechanism;  // absent: `auto`
  Adjacency adjacency;
  bool grouped;  // has GROUP BY: one statistic is many cells, one for each declared group
};

struct StatisticNoise {
  NoiseLaw law;           // in lattice units
  double epsilon, delta;  // what this statistic alone guarantees, over all groups
};

struct QueryPlan {
  Family family;
  double epsilon, delta;  // of the joint release: what is charged. delta is 0 for pure noise
  bool has_own;           // whether the release has a Renyi profile cheaper than the generic one
  RenyiCost own;          // at the table's order
};

// `auto`: the least sum of expected absolute errors, each relative to its statistic's sensitivity,
// among the families whose price on this table is no larger than the Gaussian's; delta = 0:
// laplace. order: the table's Renyi order, 0 under `basic`. Error PV005: epsilon or delta out of
// range, or too small to be shared by so many statistics; a Gaussian family with delta = 0.
// calibrate: calibrate_on_lattice, or one that remembers.
using Calibrator = Calibration (*)(Family, double epsilon, double delta, double sensitivity,
                                   std::optional<int> components);
QueryPlan plan_query(const QueryRequest& request, const Filter& filter, double order,
                     std::span<const Lattice> statistics, std::span<StatisticNoise> noise,
                     Calibrator calibrate = calibrate_on_lattice);

}  // namespace dpmix
