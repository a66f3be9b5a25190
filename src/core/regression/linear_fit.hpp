// Least squares from noisy moments, and how far its coefficients are from those without noise, and
// from the population's. All of it is post-processing.
//
// Enters: sums of (1, z, y)(1, z, y)' with noise, and its deviations. Leaves: coefficients for z
// and y, drawn towards no effect as far as the noise leaves them open, and what tells their
// intervals: covariances of the errors of least squares that are not drawn to anything, where the
// noise is small against all of the matrix; else the noisy sums, for exact sets. Proof:
// docs/proofs/regression.md, docs/proofs/regression_exact_sets.md.
#pragma once

#include <optional>

#include "core/regression/exact_sets.hpp"
#include "core/regression/plan.hpp"

namespace dpmix {

struct LinearFit {
  double rows = 0;      // noisy
  double variance = 0;  // of the residual, in units of y
  double ridge = 0;     // what least squares needed; 0: nothing
  Vector coefficients;  // of (1, z)
  Vector unshrunk;      // the middle of intervals; empty: the same
  // Covariances of the unshrunk coefficients: against least squares of these rows; against the
  // population's. They have no rows where they would not hold.
  Matrix noise_covariance, covariance;
  std::optional<NoisySums> sums = {};  // then, if a row is protected

  bool has_intervals() const { return covariance.rows() > 0; }
};

LinearFit fit_linear(const Matrix& gram, const RegressionPlan& plan);
// Not drawn to anything, but for a ridge where noise could make the matrix of z singular (AdaSSP's
// rule): where a logistic regression begins.
LinearFit fit_settled(const Matrix& gram, const RegressionPlan& plan);
// What the least eigenvalue of p noisy terms must reach.
double least_eigenvalue(const RegressionPlan& plan, Eigen::Index p, double largest);

// Linear: of the target itself. Logistic: of the log-odds that it is at its upper bound, not at its
// lower one.
enum class RegressionKind { linear, logistic };

// The coefficients of what was asked for, in the units of its columns, the middle of their
// intervals and its deviations: NaN where these are not normal.
struct Coefficient {
  double estimate, centre, noise_stddev, stddev;
};
std::vector<Coefficient> coefficients_of(const LinearFit& fit, const Design& design,
                                         RegressionKind kind = RegressionKind::linear);

}  // namespace dpmix
