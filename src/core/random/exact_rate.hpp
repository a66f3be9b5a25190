// What a lattice makes of epsilon: a rate that is exact as a fraction, where a double would be
// rounded.
#pragma once

#include <cstdint>

namespace dpmix {

// rate * times / divisor, exactly, for a double rate.
struct ExactRate {
  double rate;  // finite, >= 0, read as the exact dyadic rational it is
  std::uint64_t times = 1;
  std::uint64_t divisor = 1;  // >= 1

  double approximate() const {  // relative error below 2^-50 unless it leaves the normal doubles
    return rate * static_cast<double>(times) / static_cast<double>(divisor);
  }
};

}  // namespace dpmix
