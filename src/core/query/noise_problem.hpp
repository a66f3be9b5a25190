// What noise is made for, and what it is: statistics of one release, how far neighbours move each,
// and the guarantee that all share. Public numbers alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/accounting/accountant.hpp"
#include "core/base/next_double.hpp"
#include "core/noise/calibration.hpp"
#include "core/noise/law.hpp"
#include "core/query/joint_shift.hpp"

namespace dpmix {

// How far neighbours move one statistic, in lattice steps.
struct StatisticShift {
  double each;    // the change of one cell
  double l1, l2;  // norms of the change over all cells
  int groups;     // how many cells change at most; l1 <= groups * each
  int pieces;     // a change is a sum of so many of at most l1 / pieces, each of one cell
  // True: what one row moves of it, by `each` at most, is in one cell, that of its group, and units
  // have one row. Pure noise of several such statistics is drawn together (box_noise.hpp).
  bool together = false;
};
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
  std::optional<bool> together = std::nullopt;     // as in QueryRequest

  int statistics() const { return static_cast<int>(shifts.size()); }
  std::int64_t changed_cells() const {  // of all statistics together, at most
    std::int64_t sum = 0;
    for (const StatisticShift& shift : shifts) sum += shift.groups;
    return sum;
  }
};

inline constexpr double kLeastPart = 1e-6;  // the least epsilon that calibration takes
// A double whose n-fold is at most whole: the quotient's predecessor is below the exact quotient.
inline double share(double whole, std::int64_t parts) {
  return parts == 1 || whole == 0 ? whole : next_down(whole / static_cast<double>(parts));
}

}  // namespace dpmix
