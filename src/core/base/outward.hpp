// Outward rounding. What a libm call and an operation on long doubles may be wrong by is assumed
// here, in one place; docs/proofs/accounting.md counts the operations behind each margin.
#pragma once

#include <cmath>
#include <limits>

namespace dpmix::outward {

// Relative error of one arithmetic operation or libm function (glibc documents at most 4 ulp).
constexpr long double kUnit = 8 * std::numeric_limits<long double>::epsilon();
// Covers a chain of well-conditioned operations: over 500 of them where long double is double.
constexpr long double kMargin = 1e-12L;

// A double that is at least value + error, error >= 0; infinity when there is none.
inline double up(long double value, long double error) {
  const long double bound = value + error;
  const double rounded = static_cast<double>(bound);
  return std::nextafter(rounded, std::numeric_limits<double>::infinity());
}

// The same for a value > 0 that is right within kMargin.
inline double up(long double value) {
  return up(value, value * kMargin);
}

// A double that is at most value - error.
inline double down(long double value, long double error) {
  return -up(-value, error);
}

}  // namespace dpmix::outward
