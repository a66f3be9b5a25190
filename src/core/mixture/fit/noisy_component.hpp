// A mixture that is always valid, from what noisy numbers leave known of each component.
// Post-processing, the same for all methods that look at a component in a frame of its own.
#pragma once

#include <span>

#include "core/algebra/matrix.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/fit/moments.hpp"
#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

struct NoisyComponent {
  Vector centre;            // in the box
  Matrix axes;              // x = centre + axes z
  Matrix covariance;        // of z, symmetric, perhaps not positive
  double mean_variance;     // of the centre's error, per coordinate of z
  double covariance_noise;  // deviation of the error of each entry
  double rows, rows_noise;  // how many, as far as known, and its deviation
  double prior_rows = 0;    // that its weight counts besides
  double pooled_noise = 0;  // as covariance_noise, of what it was shrunk towards
};

// Variances are kept above their noise, and in a range around 1: frames are made so; none is
// narrower than place_component lets it be. diagonal shape: axes are diagonal too.
GmmFit fit_components(std::span<const NoisyComponent> components, const MomentFrame& box,
                      CovarianceShape shape, GmmObjective objective);

}  // namespace dpmix
