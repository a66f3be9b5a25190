// Between the box of the owner's bounds and the features' own units. box: box_frame of the
// features, whose classes are all alike.
#pragma once

#include <Eigen/Core>

#include "core/release/gmm.hpp"

namespace dpmix {

// A component. mean, covariance: in the box. The mean is clamped to the bounds; the covariance
// comes out symmetric.
void place_component(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance,
                     const MomentFrame& box, GaussianMixture::Component& out);

// A class of a frame, that sees `centre` at 0, through `map` of box units (d x d; diagonal: only
// its diagonal is read). Its radius is left open.
MomentFrame::Class class_at(const MomentFrame& box, const Eigen::VectorXd& centre,
                            const Eigen::MatrixXd& map, bool diagonal);

}  // namespace dpmix
