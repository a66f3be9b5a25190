// The integers that an exact statistic may be, given the noisy one and how far noise reaches.
#pragma once

#include <algorithm>

#include "core/base/int128.hpp"

namespace dpmix {

struct IntegerRange {
  Int128 low, high;
};

// Saturated at the ends of the type.
inline IntegerRange around(Int128 noisy, double reach) {
  constexpr auto kMost = static_cast<Int128>(~UInt128{0} >> 1);
  const auto by = static_cast<Int128>(std::min(reach, 0x1p126));
  IntegerRange range;
  if (__builtin_sub_overflow(noisy, by, &range.low)) range.low = -kMost - 1;
  if (__builtin_add_overflow(noisy, by, &range.high)) range.high = kMost;
  return range;
}

}  // namespace dpmix
