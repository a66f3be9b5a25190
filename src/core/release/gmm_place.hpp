// A component from the box of the owner's bounds to the features' own units, and how narrow it may
// be there: with little noise and rows that lie in a plane or in one point, variances would fall
// from one pass to the next until no frame could be made of them.
#pragma once

#include <Eigen/Core>

#include "core/release/gmm.hpp"

namespace dpmix {

// Variances in the box: a million steps of its lattice are half its width.
constexpr double kLeastBoxVariance = 1e-12;

// At least that variance, and that part of the largest, in every direction; what has it already
// comes back as it is, what is diagonal as a diagonal matrix. Axes: of A A^T.
Eigen::MatrixXd wide_covariance(const Eigen::MatrixXd& covariance);
Eigen::MatrixXd wide_axes(const Eigen::MatrixXd& axes);

// mean, covariance: in the box, whose centre and half widths are those of frame's first class. The
// mean is clamped to the bounds; the covariance comes out symmetric and positive definite.
void place_component(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance,
                     const MomentFrame& frame, GaussianMixture::Component& out);

}  // namespace dpmix
