// How far one mixture is from another: as laws of component and features in closed form, as laws of
// the features alone, whatever their labels and numbers of components, by Monte Carlo.
// Post-processing.
#pragma once

#include <cstdint>
#include <vector>

#include "core/mixture/gaussian_mixture.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// KL(a || b) of the joint laws of (component, x), in nats; component k of a belongs to match[k] of
// b:
//   sum_k w_k (ln(w_k / v_k) + KL(N_k || M_k))      (Liu, Scaglione, Peisert, eq. 8)
double gmm_kl(const GaussianMixture& a, const GaussianMixture& b, const std::vector<int>& match);

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
