// Bounds on a function over a cell from its values at the ends and an interval that holds its
// slope; and where to cut a cell in which it changes sign.
#pragma once

#include <algorithm>
#include <cmath>

namespace dpmix {

struct Slopes {
  double low, high;
};

// What a function that has the values at_a, at_b at the ends of a cell of this width, and slopes
// within `slope` between, can reach at most: the lines through the ends bound it, and whatever
// point t is taken for where they cross, the higher of their values there bounds it still.
inline double highest(double at_a, double at_b, Slopes slope, double width) {
  const double slack = 0x1p-48 * (std::fabs(at_a) + std::fabs(at_b) +
                                  width * std::max(std::fabs(slope.low), std::fabs(slope.high)));
  if (slope.high <= 0) return at_a + slack;
  if (slope.low >= 0) return at_b + slack;
  const double t =
      std::clamp((at_b - at_a - slope.low * width) / (slope.high - slope.low), 0.0, width);
  return std::max(at_a + slope.high * t, at_b - slope.low * (width - t)) + slack;
}

inline double lowest(double at_a, double at_b, Slopes slope, double width) {
  return -highest(-at_a, -at_b, {-slope.high, -slope.low}, width);
}

// Where to cut, from the left end, when the ends have opposite signs: a little beyond the root that
// the secant points at, so that the larger part gets a proved sign at once.
inline double beyond_secant(double at_a, double at_b, double width) {
  const double t = width * at_a / (at_a - at_b);
  if (t < 0.25 * width) return std::max(2 * t, 1e-4 * width);
  if (t > 0.75 * width) return width - std::max(2 * (width - t), 1e-4 * width);
  return t;
}

}  // namespace dpmix
