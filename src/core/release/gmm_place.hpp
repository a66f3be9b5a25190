// A component from the box of the owner's bounds to the features' own units.
#pragma once

#include <Eigen/Core>

#include "core/release/gmm.hpp"

namespace dpmix {

// mean, covariance: in the box, whose centre and half widths are those of frame's first class. The
// mean is clamped to the bounds; the covariance comes out symmetric.
void place_component(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance,
                     const MomentFrame& frame, GaussianMixture::Component& out);

}  // namespace dpmix
