// How much noise the synthetic rows of DP-CDA need.
//
// Enters: what all rows of a release may cost together, fixed before any data is seen; for each
// class its number of synthetic rows and the probability with which a record joins each of them.
// Leaves: for each class the noise multiplier z, the deviation of the Gaussian noise on a sum of
// joined records over the largest norm of a record.
// Guaranteed: the rows of all classes together keep the target (docs/proofs/cda.md, Theorem 2).
// Source: T-fold composition of the Poisson-subsampled Gaussian (Mironov, Talwar, Zhang 2019).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/adjacency.hpp"

namespace dpmix {

struct RowTarget {
  Adjacency adjacency;    // add_remove or replace
  double epsilon, delta;  // the rows are (epsilon, delta)-DP; both > 0
  double order, rho;      // and, unless order is 0, of Renyi divergence rho at this order
};

struct ClassLoad {
  double rate;        // 0 < rate <= 1
  std::int64_t rows;  // >= 1
};

// Upper bound on the Renyi divergence that one unit's change causes in the rows of one class.
// replace: what each of two changed classes may cost is half of it.
double rows_rho(Adjacency adjacency, double order, const ClassLoad& load, double multiplier);

// The least multipliers found, within .1% of what this accounting needs.
std::vector<double> row_noise(const RowTarget& target, std::span<const ClassLoad> classes);

}  // namespace dpmix
