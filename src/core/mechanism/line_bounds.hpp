// Bounds on a function over a cell from its values at the ends and an interval that holds its
// slope.
#pragma once

#include <algorithm>
#include <cmath>

namespace dpmix {

struct Interval {
  double low, high;
};

// What a function that has the values at_a, at_b at the ends of a cell of this width, and slopes
// within `slope` between, can reach at most: the lines through the ends bound it, and whatever
// point t is taken for where they cross, the higher of their values there bounds it still.
inline double highest(double at_a, double at_b, Interval slope, double width) {
  const double slack = 0x1p-48 * (std::fabs(at_a) + std::fabs(at_b) +
                                  width * std::max(std::fabs(slope.low), std::fabs(slope.high)));
  if (slope.high <= 0) return at_a + slack;
  if (slope.low >= 0) return at_b + slack;
  const double t =
      std::clamp((at_b - at_a - slope.low * width) / (slope.high - slope.low), 0.0, width);
  return std::max(at_a + slope.high * t, at_b - slope.low * (width - t)) + slack;
}

inline double lowest(double at_a, double at_b, Interval slope, double width) {
  return -highest(-at_a, -at_b, {-slope.high, -slope.low}, width);
}

}  // namespace dpmix
