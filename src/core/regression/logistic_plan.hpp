// What the release of a logistic regression costs and how much noise each of its passes gets: known
// before any row is read.
//
// Enters: public numbers. Leaves: deviations of the noise in lattice units: of the moments from
// which it starts, and of each pass the gradient's and the information's; all of it together
// mu-GDP, mu being that of (epsilon, delta). Then, from exact sums of integers, noisy ones. Proof:
// docs/proofs/regression.md.
#pragma once

#include <array>

#include "core/regression/plan.hpp"

namespace dpmix {

struct LogisticNoise {     // in lattice units of a row; 0: exact
  double slope;            // of each sum of slopes
  double square, product;  // of the products of information
};

struct LogisticPlan {
  static constexpr std::size_t passes = 3;

  RegressionPlan moments;  // its mu is a share; own: of all
  std::array<LogisticNoise, passes> pass;
  double mu;  // of all
};

// Error PV005 as of plan_regression(). The frame that passes see has the resolution of this one.
LogisticPlan plan_logistic(const RegressionRequest& request, const MomentFrame& frame);

// Sums over the rows of a class, with noise, in lattice units. exact: NULL for a class without
// rows.
Vector noisy_slope(RandomStream& random, const MomentTotals::Class* exact, int features,
                   const LogisticNoise& noise);
Matrix noisy_information(RandomStream& random, const MomentTotals::Class* exact, int features,
                         const LogisticNoise& noise);

}  // namespace dpmix
