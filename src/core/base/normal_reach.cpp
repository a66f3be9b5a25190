#include "core/base/normal_reach.hpp"

#include "core/base/normal_tail.hpp"

namespace dpmix {

double normal_reach(double level) {
  const double tail = (1 - level) / 2;
  double low = 0, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (upper_tail(middle) > tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace dpmix
