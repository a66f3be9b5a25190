// The doubles next to one: rounding a result that is right within half a unit outwards.
#pragma once

#include <cmath>
#include <limits>

namespace dpmix {

inline double next_up(double x) {
  return std::nextafter(x, std::numeric_limits<double>::infinity());
}

// Towards 0, for x >= 0.
inline double next_down(double x) {
  return std::nextafter(x, 0.0);
}

}  // namespace dpmix
