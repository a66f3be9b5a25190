// The components of a mixture as ones that rows may belong to, each seen as a standard normal.
// Nothing in the box is clipped. Post-processing: the mixture is public or released.
#pragma once

#include "core/input/mixture_frame.hpp"
#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

// mixture: in units of the box, positive definite. box: box_frame of the features. diagonal:
// covariances are read as diagonal ones.
MixtureFrame component_view(const GaussianMixture& mixture, const MomentFrame& box, bool diagonal);

}  // namespace dpmix
