// How far one mixture is from another where no closed form exists: as laws of the features alone,
// whatever their labels and numbers of components. By Monte Carlo; post-processing.
#pragma once

#include <cstdint>

#include "core/random/stream.hpp"
#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

struct KlEstimate {
  double kl;           // nats, >= 0
  double error_bound;  // half width of a 95% interval by the central limit theorem: not a proof
};

// KL(a || b) of the densities of x. Half of the draws are from each: with m = (a + b) / 2,
//   KL(a || b) = E_m[(a ln(a / b) - a + b) / m],
// whose terms are never negative, vanish with the squared difference of the densities, and have a
// finite variance always (a / m and b / m are at most 2, ln(a / b) is at most quadratic).
// draws >= 2. Error PV005 for invalid mixtures, or of different numbers of features.
KlEstimate estimate_kl(const GaussianMixture& a, const GaussianMixture& b, std::int64_t draws,
                       RandomStream& random);

}  // namespace dpmix
