// Exact rounded Gaussian: round(sigma * N), N standard normal, drawn with Karney's algorithm
// (ACM TOMS 42, 2016), digits on demand until the rounding is decided.
// P(k) = Phi((k+1/2)/sigma) - Phi((k-1/2)/sigma), exactly. Expected O(1) random words.
// See docs/proofs/samplers.md.
#pragma once

#include "core/int128.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// sigma in units of the lattice: 0 < sigma <= 2^90, else Error PV005. Uniform deviates are revealed
// digit_bits (1..64) at a time; the law does not depend on it (tests make digits small, so that
// ties and undecided roundings abound).
Int128 rounded_normal(RandomStream& random, double sigma, int digit_bits = 64);

// floor(sigma * N), exactly, on the same terms: P(k) = Phi((k+1)/sigma) - Phi(k/sigma).
Int128 floored_normal(RandomStream& random, double sigma, int digit_bits = 64);

}  // namespace dpmix
