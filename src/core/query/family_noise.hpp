// The joint release of all statistics of a query by one family: its noise, guarantee and cost.
//
// Enters: the guarantee asked for the whole call, and how far neighbours move each statistic.
// Leaves: a noise law in lattice units for each statistic, and what all of them together, over all
// groups, guarantee and cost. The guarantee is shared
//   gaussian            as mu^2 among the statistics, by how far a row moves them together
//   laplace             as epsilon among the statistics; those of one cell a group have one part
//   staircase           as epsilon among the statistics
//   all others          as (epsilon, delta) among all cells that change, of all statistics
// Proofs, the replace relation among them: docs/proofs/query.md.
#pragma once

#include <optional>
#include <string_view>

#include "core/accounting/accountant.hpp"
#include "core/base/adjacency.hpp"
#include "core/input/lattice.hpp"
#include "core/query/group_discovery.hpp"
#include "core/query/noise_problem.hpp"

namespace dpmix {

// The shift of a statistic between neighbours that differ in one row.
StatisticShift statistic_shift(const Lattice& lattice, Adjacency adjacency, bool grouped);

enum class Drawn { none, some, all };

struct QueryPlan {
  Family family;
  double epsilon, delta;    // of the joint release: what is charged. delta is 0 for pure noise
  bool has_own;             // whether the release has a cost besides that of its guarantee
  Cost own;                 // in what the table's accountant adds up
  GroupSearch search = {};  // the part of it that finds the groups, if it has to
  // Quantiles are drawn (draw_plan.hpp): where all statistics are, the family is without meaning.
  Drawn drawn = Drawn::none;
};
// The family of the noise, exponential, or gaussian+exponential: as records have it.
std::string_view mechanism_of(const QueryPlan& plan);

// Why a family cannot answer.
enum class Obstacle {
  none,
  no_delta,          // it needs one of at least 1e-300
  shares_too_small,  // epsilon or delta, divided, leaves the range of calibration
  bounds_too_wide,   // a sensitivity of more lattice steps than its noise can be made for
};
Obstacle obstacle(const Problem& problem, Family family);
void refuse_obstacle(const Problem& problem, Family family);  // Error PV005 if there is one

// Both need a family without obstacle. The cost is known before the noise is calibrated.
QueryPlan price_of(const Problem& problem, Family family);
Noise noise_of(const Problem& problem, Family family);
// Another cost of the joint release, where its calibrated noise has one (multi_gaussian): either
// may be the cheaper.
bool has_cost_of_noise(const Problem& problem, Family family);
std::optional<Cost> cost_of_noise(const Problem& problem, const Noise& noise);

}  // namespace dpmix
