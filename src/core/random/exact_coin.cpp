#include "core/random/exact_coin.hpp"

#include <cmath>

namespace dpmix {

bool bernoulli(RandomStream& random, double p) {
  if (p >= 1) return true;
  if (!(p > 0)) return false;
  int exponent = 0;
  const auto significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(p, &exponent), 53));
  // p = significand 2^{exponent - 53}: as many zeros as -exponent, then less than the significand.
  int zeros = -exponent;
  for (; zeros > 64; zeros -= 64) {
    if (random.next64() != 0) return false;
  }
  if (zeros > 0 && random.next64() >> (64 - zeros) != 0) return false;
  return random.next64() >> 11 < significand;
}

}  // namespace dpmix
