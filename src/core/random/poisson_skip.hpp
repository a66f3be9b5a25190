// Which of many trials succeed, when each does so independently with the same small probability:
// gaps between successes instead of one coin a trial (DP-CDA's Poisson mixing).
//
// Success probability q = threshold / 2^32 exactly, 1 <= threshold <= 2^32, else Error PV005.
// Two tables of about sqrt(90/q) entries: together 38 KB at q = 10^-4, 28 MB at the least q.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/random/inversion_table.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

class PoissonSkip {
 public:
  explicit PoissonSkip(std::uint64_t threshold);

  // Trials up to and with the next success, >= 1. P(g) = q (1-q)^(g-1) with total-variation error
  // at most kTotalVariation a draw (docs/proofs/samplers.md); callers add draws * kTotalVariation
  // to delta.
  std::uint64_t gap(RandomStream& random) const {
    const std::uint64_t whole_blocks = blocks_.draw(random);
    return whole_blocks * block_ + within_.draw(random) + 1;
  }
  static constexpr double kTotalVariation = 0x1p-100;

  std::uint64_t block() const { return block_; }
  const InversionTable& within() const { return within_; }
  const InversionTable& blocks() const { return blocks_; }

 private:
  std::uint64_t block_;    // trials
  InversionTable within_;  // failures since the block began, given that the block has a success
  InversionTable blocks_;  // blocks without success
};

}  // namespace dpmix
