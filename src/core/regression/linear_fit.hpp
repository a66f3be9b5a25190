// Least squares from noisy moments, and how far its coefficients are from those without noise, and
// from the population's. All of it is post-processing.
//
// Enters: sums of (1, z, y)(1, z, y)' with noise, and its deviations. Leaves: coefficients for z
// and y, covariances of their errors. Where noise could make the matrix of z singular, a ridge is
// added, by AdaSSP's rule. Then, and where the noise is not small against all of the matrix, the
// covariances do not hold and are not given: docs/proofs/regression.md.
#pragma once

#include <optional>

#include "core/regression/plan.hpp"

namespace dpmix {

struct LinearFit {
  double rows = 0;      // noisy
  double variance = 0;  // of the residual, in units of y
  double ridge = 0;     // 0: none was needed
  Vector coefficients;  // of (1, z)
  // Covariances of the coefficients: against least squares of these rows; against the population's.
  // They have no rows where they would not hold.
  Matrix noise_covariance, covariance;

  bool has_intervals() const { return covariance.rows() > 0; }
};

LinearFit fit_linear(const Matrix& gram, const RegressionPlan& plan);
// What the least eigenvalue of p noisy terms must reach.
double least_eigenvalue(const RegressionPlan& plan, Eigen::Index p, double largest);

// Linear: of the target itself. Logistic: of the log-odds that it is at its upper bound, not at its
// lower one.
enum class RegressionKind { linear, logistic };

// The coefficients of what was asked for, in the units of its columns, and their deviations: all
// NaN where there are no intervals.
struct Coefficient {
  double estimate, noise_stddev, stddev;
};
std::vector<Coefficient> coefficients_of(const LinearFit& fit, const Design& design,
                                         RegressionKind kind = RegressionKind::linear);

}  // namespace dpmix
