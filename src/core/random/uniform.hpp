// Uniform doubles, for draws from what is released already. Noise is drawn exactly instead.
#pragma once

#include "core/random/stream.hpp"

namespace dpmix {

// A number in [0, 1), of 53 bits.
inline double uniform(RandomStream& random) {
  return static_cast<double>(random.next64() >> 11) * 0x1p-53;
}

}  // namespace dpmix
