// Draws an index by inverting its cumulative law, held in 128-bit fixed point.
//
// Enters: cumulative[i] = P(index <= i) * 2^128, not decreasing, for every index but the last.
// Leaves: index #{i : cumulative[i] <= U}, U uniform on {0, ..., 2^128 - 1}: each index has exactly
// the probability that the table says. The low 64 bits of U are drawn only when its high 64 bits
// do not decide, once in about 2^64 / (entries).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/int128.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

class InversionTable {
 public:
  explicit InversionTable(const std::vector<UInt128>& cumulative);
  std::size_t draw(RandomStream& random) const;

  std::size_t size() const { return high_.size() + 1; }
  UInt128 cumulative(std::size_t i) const { return static_cast<UInt128>(high_[i]) << 64 | low_[i]; }

 private:
  std::vector<std::uint64_t> high_, low_;
  // Where to look: the entries whose high word begins with the bits g are guide_[g]..guide_[g+1].
  std::vector<std::uint32_t> guide_;
  int guide_shift_;
};

}  // namespace dpmix
