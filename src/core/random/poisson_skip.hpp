// Which of many trials succeed, when each does so independently with the same small probability:
// gaps between successes instead of one coin a trial (DP-CDA's Poisson mixing).
#pragma once

#include <cstdint>
#include <vector>

#include "core/int128.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// Success probability q = threshold / 2^32 exactly, 0 < threshold <= 2^32. Trials are numbered
// 0, 1, 2, ...; next(random, after) is the first success > after, as a gap >= 1.
class PoissonSkip {
 public:
  explicit PoissonSkip(std::uint64_t threshold);
  // Failures before the next success, plus one. Geometric with total-variation error at most
  // kTotalVariation a draw (docs/proofs/samplers.md); callers add draws * kTotalVariation to delta.
  std::uint64_t gap(RandomStream& random) const;
  static constexpr double kTotalVariation = 0x1p-100;

 private:
  std::vector<UInt128> within_;  // cumulative law inside a block, fixed point 2^-128
  std::vector<UInt128> blocks_;  // survival over whole blocks
};

}  // namespace dpmix
