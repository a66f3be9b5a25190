// How much noise the synthetic rows of DP-CDA need.
//
// Enters: what all rows of a release may cost together, fixed before any data is seen; for each
// class its number of synthetic rows and the probability with which a record joins each of them.
// Leaves: for each class the noise multiplier z, the deviation of the Gaussian noise on a sum of
// joined records over the largest norm of a record.
// Guaranteed: the rows of all classes together keep the target
// (docs/proofs/cda.md, "Theorem (rows)").
// Source: privacy-loss distributions of the T-fold Poisson-subsampled Gaussian
// (docs/proofs/loss_distribution.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/adjacency.hpp"

namespace dpmix {

// The rows are no more revealing than Gaussian noise of this mu that, with probability `slack`, is
// forgotten.
struct RowTarget {
  Adjacency adjacency;  // add_remove or replace
  double mu, slack;     // both > 0
};

struct ClassLoad {
  double rate;        // 0 < rate <= 1
  std::int64_t rows;  // >= 1
};

// True is a proof that one class's rows keep what the target allows a single class.
bool rows_keep(const RowTarget& target, const ClassLoad& load, double multiplier);

// Multipliers that keep the target, a few percent at most above the least.
std::vector<double> row_noise(const RowTarget& target, std::span<const ClassLoad> classes);

}  // namespace dpmix
