// Blocks of a growing table: equal pieces of a column's values, numbered from 0
// (docs/proofs/blocks.md). Values are whole numbers, days or microseconds; what lies before the
// first block is in none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/base/int128.hpp"

namespace dpmix {

struct BlockGrid {
  std::int64_t first;  // the least value of block 0
  std::int64_t width;  // of a block, at least 1
  bool operator==(const BlockGrid&) const = default;

  // value >= first.
  std::int64_t block_of(std::int64_t value) const {
    return static_cast<std::int64_t>((static_cast<Int128>(value) - first) / width);
  }
  // The least and the largest value of a block; the ends of all values where these come before.
  std::int64_t first_of(std::int64_t block) const {
    return clamped(static_cast<Int128>(block) * width + first);
  }
  std::int64_t last_of(std::int64_t block) const {
    return clamped((static_cast<Int128>(block) + 1) * width + first - 1);
  }

 private:
  static std::int64_t clamped(Int128 value) {
    return static_cast<std::int64_t>(std::clamp<Int128>(
        value, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
  }
};

}  // namespace dpmix
