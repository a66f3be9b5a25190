// A uniform deviate on (0, 1) of which only the binary digits that somebody asked for exist.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "core/random/stream.hpp"

namespace dpmix {

// Lies in [value, value + 1) / 2^bits; the digits that follow are still to be drawn.
struct LazyUniform {
  boost::multiprecision::cpp_int value = 0;
  int bits = 0;
  int digit_bits = 64;  // revealed at a time, 1..64

  void reveal(RandomStream& random) {
    value = value << digit_bits | random.next64() >> (64 - digit_bits);
    bits += digit_bits;
  }
};

}  // namespace dpmix
