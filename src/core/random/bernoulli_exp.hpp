// Exact coins with P(true) = e^-x, x a non-negative rational: the building block of every exact
// discrete sampler (Canonne, Kamath, Steinke 2020, Algorithm 1). No rounding anywhere: a uniform is
// compared with x/k digit by digit until the order is decided. See docs/proofs/samplers.md.
#pragma once

#include <cstdint>

#include "core/int128.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// rate * times / divisor, exactly, for a double rate: what a lattice makes of epsilon.
struct ExactRate {
  double rate;  // finite, >= 0, read as the exact dyadic rational it is
  std::uint64_t times = 1;
  std::uint64_t divisor = 1;  // >= 1
};

// x = rate * multiple. `slack` is the relative width of the double enclosure that decides nearly
// every comparison; whatever it does not decide is decided exactly, so neither the law nor the
// outcome depends on it. 2^-48 to 1/2; tests pass 1/2 to send coins down the exact path.
bool bernoulli_exp(RandomStream& random, const ExactRate& rate, UInt128 multiple = 1,
                   double slack = 0x1p-48);

}  // namespace dpmix
