// What classes teach each other: noisy covariances shrunk towards what they have in common, as far
// as their noise is larger than their differences. Post-processing.
// Source: docs/proofs/mixture_staged.md ("Pooling").
#pragma once

#include <vector>

#include "core/algebra/matrix.hpp"

namespace dpmix {

struct NoisyCovariance {
  Matrix axes;        // x = centre + axes z
  Matrix covariance;  // of z, symmetric, perhaps not positive
  double noise;       // deviation of each entry's noise
};

// Replaces covariances and noises by those of the posterior under "entries differ between classes
// with a variance tau^2 around a common covariance"; both are estimated. One class stays as it is.
// diagonal: axes and covariances are, and stay so.
void pool(std::vector<NoisyCovariance>& classes, bool diagonal = false);

// Replaces covariances, in the same coordinates, by their mean, each as heavy as it has rows (> 0).
void share(std::vector<Matrix>& covariances, const Vector& rows);

}  // namespace dpmix
