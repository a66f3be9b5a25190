// Exact geometric noise, in lattice units (Canonne, Kamath, Steinke 2020, Algorithm 2, with blocks
// of a power of two). Rates of at least 2^-80 (epsilon 1e-6 at sensitivity 2^53 is 2^-73), else
// Error PV005. See docs/proofs/samplers.md.
#pragma once

#include "core/int128.hpp"
#include "core/random/bernoulli_exp.hpp"

namespace dpmix {

// P(k) = (1 - e^-r) e^{-r k}, k = 0, 1, ..., with r = rate.rate * rate.times / rate.divisor > 0.
UInt128 geometric(RandomStream& random, const ExactRate& rate);

// P(k) proportional to e^{-r |k|} on the integers (the geometric mechanism, Ghosh et al. 2009).
Int128 two_sided_geometric(RandomStream& random, const ExactRate& rate);

// P(k) proportional to e^{-r |k|} on -limit..limit: the component of a mixture. rate and limit >=
// 0.
int truncated_two_sided_geometric(RandomStream& random, double rate, int limit);

}  // namespace dpmix
