// Takes components from the box of the owner's bounds to the features' own units, and keeps them
// wide enough in the box: with little noise and rows that lie in a plane or in one point, variances
// would fall from one pass to the next until no frame could be made of them. box: box_frame of the
// features, whose classes are all alike.
#pragma once

#include "core/algebra/matrix.hpp"
#include "core/input/moment_frame.hpp"
#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

// The least variance in the box: a million steps of its lattice are half its width.
constexpr double kLeastBoxVariance = 1e-12;

// Widen a covariance to that variance, and to that part of its largest one, in every direction;
// what has both comes back as it is, what is diagonal as a diagonal matrix. axes: A of A A^T.
Matrix wide_covariance(const Matrix& covariance);
Matrix wide_axes(const Matrix& axes);

// A component. mean, covariance: in the box. The mean is clamped to the bounds; the covariance
// comes out symmetric and positive definite.
void place_component(const Vector& mean, const Matrix& covariance, const MomentFrame& box,
                     GaussianMixture::Component& out);

// A class of a frame, that sees `centre` at 0, through `map` of box units (d x d; diagonal: only
// its diagonal is read). Its radius is left open.
MomentFrame::Class class_at(const MomentFrame& box, const Vector& centre, const Matrix& map,
                            bool diagonal);

}  // namespace dpmix
