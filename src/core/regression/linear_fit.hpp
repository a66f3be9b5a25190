// Least squares from noisy moments, and how far its coefficients are from those without noise, and
// from the population's. All of it is post-processing.
//
// Enters: sums of (1, z, y)(1, z, y)' with noise, and its deviations. Leaves: coefficients for z
// and y, covariances of their errors. Where noise could make the matrix of z singular, a ridge is
// added, by AdaSSP's rule; then the covariances do not hold and are not given.
#pragma once

#include <optional>

#include "core/regression/plan.hpp"

namespace dpmix {

struct LinearFit {
  double rows = 0;      // noisy
  double variance = 0;  // of the residual, in units of y
  double ridge = 0;     // 0: none was needed
  Vector coefficients;  // of (1, z)
  // Of the coefficients: against least squares of these rows; against the population's.
  Matrix noise_covariance, covariance;
  // Columns: directions along which the coefficients may lie anywhere, as long as they may well.
  // Covariances count them in; a coefficient that is mostly of them has no interval.
  Matrix hidden;
};

LinearFit fit_linear(const Matrix& gram, const RegressionPlan& plan);
// What the least eigenvalue of p noisy terms must reach.
double least_eigenvalue(const RegressionPlan& plan, Eigen::Index p, double largest);

// Linear: of the target itself. Logistic: of the log-odds that it is at its upper bound, not at its
// lower one.
enum class RegressionKind { linear, logistic };

// The coefficients of what was asked for, in the units of its columns, and their deviations: NaN
// where a ridge was needed, and of a coefficient that is hidden.
struct Coefficient {
  double estimate, noise_stddev, stddev;
};
std::vector<Coefficient> coefficients_of(const LinearFit& fit, const Design& design,
                                         RegressionKind kind = RegressionKind::linear);

}  // namespace dpmix
