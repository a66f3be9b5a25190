// Exact draws of quasi-Gaussian noise. Proof: docs/proofs/quasi_gaussian.md, "Drawing".
#pragma once

#include "core/base/int128.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// One exact draw, rounded to an integer, in lattice steps: the law has the deviation sigma, exactly
// this double, and the sensitivity, a positive integer; both at most 2^89, else Error PV005.
Int128 draw_quasi(RandomStream& random, double sigma, double sensitivity, double weight_epsilon);

}  // namespace dpmix
