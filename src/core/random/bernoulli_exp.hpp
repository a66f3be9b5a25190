// Exact coins with P(true) = e^-x, x a non-negative rational. A uniform deviate is compared with
// e^-x: by doubles with a proved margin, and where they cannot tell by as many digits as it takes.
// See docs/proofs/samplers.md.
#pragma once

#include "core/base/int128.hpp"
#include "core/random/exact_rate.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// x = rate * multiple. `slack` is the relative width of the double enclosure of e^-x; whatever it
// does not decide is decided exactly, so neither the law nor the outcome depends on it. 2^-40 to
// 1/2; tests pass 1/2 to send coins down the exact path.
bool bernoulli_exp(RandomStream& random, const ExactRate& rate, UInt128 multiple = 1,
                   double slack = 0x1p-40);

}  // namespace dpmix
