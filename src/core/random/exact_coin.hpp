// Exact coins whose probability is a double, or a number that can be enclosed ever more narrowly.
// See docs/proofs/step_law.md, "Sampler".
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "core/random/stream.hpp"

namespace dpmix {

// P(true) = p, read as the exact dyadic rational it is. 0 <= p <= 1.
bool bernoulli(RandomStream& random, double p);

// low / 2^bits <= a number <= high / 2^bits
struct Enclosure {
  boost::multiprecision::cpp_int low, high;
  unsigned bits;
};
// Of e^-x, x >= 0 the exact value of a double; about 2^(1 - bits) wide, not wider than a few of
// that.
Enclosure enclose_exp(double x, unsigned bits);

// P(true) = p. Doubles low <= p <= high decide nearly always; what they do not decide is decided by
// enclose(bits), an Enclosure of p whose width goes to 0 as bits grow. So neither the law nor the
// outcome depends on low and high.
template <class Enclose>
bool enclosed_coin(RandomStream& random, double low, double high, Enclose enclose) {
  const std::uint64_t first = random.next64();
  if (low >= 1 || (low > 0 && first < static_cast<std::uint64_t>(low * 0x1p64))) return true;
  if (high < 1 && first > static_cast<std::uint64_t>(high * 0x1p64)) return false;
  boost::multiprecision::cpp_int digits = first;
  for (unsigned known = 64;; known += 64) {
    const Enclosure p = enclose(known + 16);
    // The uniform lies between digits and digits + 1, in units of 2^-known.
    if (((digits + 1) << p.bits) <= (p.low << known)) return true;
    if ((digits << p.bits) >= (p.high << known)) return false;
    digits = (digits << 64) | random.next64();
  }
}

}  // namespace dpmix
