// The joint release of all statistics of a query by one family: its noise, guarantee and cost.
//
// Enters: the guarantee asked for the whole call, and how far neighbours move each statistic.
// Leaves: a noise law in lattice units for each statistic, and what all of them together, over all
// groups, guarantee and cost. The guarantee is shared
//   gaussian            as mu^2 among the statistics, by how far a row moves them together
//   laplace, staircase  as epsilon among the statistics
//   all others          as (epsilon, delta) among all cells that change, of all statistics
// Proofs, the replace relation among them: docs/proofs/query.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/accounting/accountant.hpp"
#include "core/base/adjacency.hpp"
#include "core/input/lattice.hpp"
#include "core/noise/calibration.hpp"
#include "core/noise/law.hpp"
#include "core/query/group_discovery.hpp"
#include "core/query/joint_shift.hpp"

namespace dpmix {

// How far neighbours move one statistic, in lattice steps.
struct StatisticShift {
  double each;    // the change of one cell
  double l1, l2;  // norms of the change over all cells
  int groups;     // how many cells change at most; l1 <= groups * each
  int pieces;     // a change is a sum of so many of at most l1 / pieces, each of one cell
};
// Of neighbours that differ in one row.
StatisticShift statistic_shift(const Lattice& lattice, Adjacency adjacency, bool grouped);

struct StatisticNoise {
  NoiseLaw law;           // in lattice units
  double epsilon, delta;  // what this statistic alone guarantees, over all its cells
  int draws = 1;          // of which the answer is the weighted mean (upgrade.hpp)
  // Where weight > 0: so much of this noise is in that of a count of rows (shared_noise.hpp).
  int rows = -1;
  double weight = 0;
  // Where rows are weighed: cells are counted in 2^-fine_bits of a lattice step, and rounded to
  // whole steps once they have their noise.
  int fine_bits = 0;
  // Where range > 0: not noise, but a draw of that range, whose scores neighbours move by so many
  // steps (quantile_draw.hpp). The law is about that of the rank that is drawn.
  double range = 0;
  std::int64_t steps = 0;
};
using Noise = std::vector<StatisticNoise>;

enum class Drawn { none, some, all };

struct QueryPlan {
  Family family;
  double epsilon, delta;    // of the joint release: what is charged. delta is 0 for pure noise
  bool has_own;             // whether the release has a cost besides that of its guarantee
  Cost own;                 // as the table adds up
  GroupSearch search = {};  // the part of it that finds the groups, if it has to
  // Quantiles are drawn (draw_plan.hpp): where all statistics are, the family is without meaning.
  Drawn drawn = Drawn::none;
};
// The family of the noise, exponential, or gaussian+exponential: as records have it.
std::string_view mechanism_of(const QueryPlan& plan);

// calibrate_on_lattice, or one that remembers.
using Calibrator = Calibration (*)(Family, double epsilon, double delta, double sensitivity,
                                   std::optional<int> components);

struct Problem {
  double asked_epsilon, asked_delta;  // printed as decimals, they are what is charged
  double epsilon, delta;              // doubles that do not exceed those decimals
  Accounting accounting;              // of the table
  Calibrator calibrate;
  std::vector<StatisticShift> shifts;
  std::optional<JointPrice> joint = std::nullopt;  // how the statistics share mu^2
  bool accurate = false;                           // what a choice of family goes by
  double cap_share = 0;                            // of the caller's cap; 0: there is none
  int bounded_lists = 0;                           // beside Gaussian noise: bounded_units.hpp

  int statistics() const { return static_cast<int>(shifts.size()); }
  std::int64_t changed_cells() const {  // of all statistics together, at most
    std::int64_t sum = 0;
    for (const StatisticShift& shift : shifts) sum += shift.groups;
    return sum;
  }
};

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
