// What a mixture knows of how its features go together linearly: correlations, and the best linear
// prediction of one feature by the others.
#pragma once

#include "core/algebra/matrix.hpp"
#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

struct LinearMoments {
  Vector mean;
  Matrix covariance;
};
LinearMoments moments_of(const GaussianMixture::Component& component);
// The moments of a row drawn from the whole mixture: between components, too.
LinearMoments moments_of(const GaussianMixture& mixture);

// Correlations of the features, in [-1, 1].
Matrix correlations_of(const LinearMoments& moments);

// The prediction of the target by all other features: the intercept, then the coefficient of each
// of them, in their order. Least squares over the law, in the units of the features.
Vector linear_prediction(const LinearMoments& moments, int target);

}  // namespace dpmix
