// Square roots of whole numbers, rounded down, exactly.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/int128.hpp"

namespace dpmix {

// The largest root with root * root <= square, of a square up to 2^126.
inline std::uint64_t whole_root(UInt128 square) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(square)));
  while (UInt128{root} * root > square) root--;
  while (UInt128{root + 1} * (root + 1) <= square) root++;
  return root;
}

}  // namespace dpmix
