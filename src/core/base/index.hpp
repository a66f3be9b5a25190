// A number that counts things, as an index of a vector.
#pragma once

#include <cstddef>

namespace dpmix {

constexpr std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace dpmix
