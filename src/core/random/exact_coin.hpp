// Exact coins whose probability is a double, or a number that can be enclosed ever more narrowly.
// See docs/proofs/step_law.md, "Sampler".
#pragma once

#include <cstdint>

#include <boost/multiprecision/cpp_int.hpp>

#include "core/random/exact_exp.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// P(true) = p, read as the exact dyadic rational it is. 0 <= p <= 1.
bool bernoulli(RandomStream& random, double p);

// P(true) = p. Doubles low <= p <= high decide nearly always; what they do not decide is decided by
// enclose(bits), a Bracket of p in units of 2^-bits that shrinks to p as bits grow. So neither the
// law nor the outcome depends on low and high.
template <class Enclose>
bool enclosed_coin(RandomStream& random, double low, double high, Enclose enclose) {
  const std::uint64_t first = random.next64();
  if (low >= 1 || (low > 0 && first < static_cast<std::uint64_t>(low * 0x1p64))) return true;
  if (high < 1 && first > static_cast<std::uint64_t>(high * 0x1p64)) return false;
  boost::multiprecision::cpp_int digits = first;
  for (int known = 64;; known += 64) {
    constexpr int more = 16;
    const Bracket p = enclose(known + more);
    // The uniform lies between digits and digits + 1, in units of 2^-known.
    if ((digits + 1) << more <= p.low) return true;
    if (digits << more >= p.high) return false;
    digits = (digits << 64) | random.next64();
  }
}

}  // namespace dpmix
