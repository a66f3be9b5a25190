// What the synthetic rows of DP-CDA may cost, and the proof that noise keeps them to it.
//
// Enters: what all rows of a release may cost together, fixed before any data is seen; for a class
// its number of synthetic rows, the probability with which a record joins each of them, and the
// noise multiplier z, the deviation of the Gaussian noise on a sum of joined records over the
// largest norm of a record.
// Guaranteed: rows whose classes each keep the target keep it together
// (docs/proofs/synthetic.md, "Theorem (rows)").
// Source: privacy-loss distributions of the T-fold Poisson-subsampled Gaussian
// (docs/proofs/loss_distribution.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/base/adjacency.hpp"

namespace dpmix {

// The rows are no more revealing than Gaussian noise of this mu that, with probability `slack`, is
// forgotten. Or, where there is `only`: they keep these two (epsilon, delta) each.
struct RowTarget {
  struct Promise {
    double epsilon, delta;
    bool operator==(const Promise&) const = default;
  };

  Adjacency adjacency;
  double mu, slack;  // both > 0
  std::optional<std::array<Promise, 2>> only = {};
  bool one_class = false;  // there is, so that no record changes its class

  bool operator==(const RowTarget&) const = default;
};

struct ClassLoad {
  double rate;        // 0 < rate <= 1
  std::int64_t rows;  // 0: the class gets no noise, as it has no rows

  bool operator==(const ClassLoad&) const = default;
};

// True is a proof that one class's rows keep what the target allows a single class. rows >= 1.
// halvings: of the grid's step, 0 to most_halvings; takes twice the time, and proves less noise
// enough.
constexpr int most_halvings = 1;
bool rows_keep(const RowTarget& target, const ClassLoad& load, double multiplier, int halvings = 0);

// A multiplier that plain Gaussian noise needs, and one that is about right.
double plain_multiplier(const RowTarget& target, std::int64_t rows);
double likely_multiplier(const RowTarget& target, const ClassLoad& load);

}  // namespace dpmix
