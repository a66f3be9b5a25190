// Exact coins with P(true) = e^-x, x a non-negative rational: the building block of every exact
// discrete sampler (Canonne, Kamath, Steinke 2020, Algorithm 1). No rounding anywhere: a uniform is
// compared with x/k digit by digit until the order is decided.
#pragma once

#include <cstdint>

#include "core/random/stream.hpp"

namespace dpmix {

// rate * times / divisor, exactly, for a double rate: what a lattice makes of epsilon.
struct ExactRate {
  double rate;             // finite, >= 0, read as the exact dyadic rational it is
  std::uint64_t times = 1;
  std::uint64_t divisor = 1;  // >= 1
};

bool bernoulli_exp(RandomStream& random, const ExactRate& x);

}  // namespace dpmix
