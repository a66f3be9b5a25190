// Exact rounded Gaussian: round(sigma * N), N standard normal, drawn with Karney's algorithm
// (ACM TOMS 42, 2016), digits on demand until the rounding is decided.
// P(k) = Phi((k+1/2)/sigma) - Phi((k-1/2)/sigma), exactly. Expected O(1) random words.
#pragma once

#include "core/int128.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// sigma in units of the lattice: finite, 0 < sigma <= 2^90.
Int128 rounded_normal(RandomStream& random, double sigma);

}  // namespace dpmix
