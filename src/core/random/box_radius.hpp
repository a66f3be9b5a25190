// Exact radii of noise in a box: P(r) proportional to (2r + 1)^k e^{-rate r}, r = 0, 1, ...
// (noise/box_law.hpp). A mixture: j = 0..k with weights that no double has, told by as many digits
// as it takes; then r = j and j + 1 geometric numbers of that rate. Proof: docs/proofs/box.md.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/int128.hpp"
#include "core/random/geometric.hpp"
#include "core/random/lazy_uniform.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

class BoxRadius {
 public:
  // digit_bits: tests make them short, so that the first digits do not tell.
  BoxRadius(int power, double rate, int digit_bits = 64);

  double rate() const { return rate_; }
  UInt128 operator()(RandomStream& random) const;

 private:
  struct Enclosed;
  Enclosed weights(int bits) const;
  int part(RandomStream& random) const;

  int power_;
  double rate_;
  int digit_bits_;
  Geometric geometric_;
  std::vector<boost::multiprecision::cpp_int>
      factor_;                          // of j: (2r + 1)^k = sum factor_j (r over j)
  std::vector<std::uint64_t> at_most_;  // floor(2^64 P(part <= j)), j < k
};

// Uniform on 0..bound - 1.
UInt128 below(RandomStream& random, UInt128 bound);

}  // namespace dpmix
