// Tails of the standard normal law, in double. Relative error of upper_tail(x): at most
// (4 x^2 + 24) 2^-53 where the result is a normal double (x given exactly; libm's erfc within 8
// ulp, glibc states 5); the same bound is absolute for log_upper_tail.
// docs/proofs/multi_gaussian.md.
#pragma once

#include <cmath>
#include <numbers>

namespace dpmix {

// P(N > x).
inline double upper_tail(double x) {
  return 0.5 * std::erfc(x * (1 / std::numbers::sqrt2));
}

// log P(N > x), also where P itself underflows.
inline double log_upper_tail(double x) {
  if (x < 30) return std::log(upper_tail(x));
  const double r = 1 / (x * x);
  // The asymptotic series of Mills' ratio; alternating, the first term left out is below 2^-60.
  const double series =
      1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r * (1 - 9 * r * (1 - 11 * r)))));
  constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
  return -0.5 * x * x - std::log(x) - kLogSqrtTwoPi + std::log(series);
}

inline double normal_density(double x) {
  return std::exp(-0.5 * x * x) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}

}  // namespace dpmix
