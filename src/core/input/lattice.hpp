// From a column's value to an integer: clamp to public bounds, round to a public lattice.
//
// Enters: a value of a row and a lattice made of the owner's bounds alone. Leaves: an integer k in
// [low, high], the value read as origin + k * step. The clamp is on the integer, after rounding,
// so the sensitivity of a sum is about the very numbers summed, whatever the floating point did.
// Bad rows, by one rule: NULL and NaN are missing (they contribute nothing); +-Inf and values out
// of bounds are clamped. No row raises.
#pragma once

#include <cmath>
#include <cstdint>

namespace dpmix {

struct Lattice {
  double origin = 0, step = 1;
  std::int64_t low = 0, high = 0;  // low <= high, magnitude at most 2^53

  std::int64_t place(double value) const {  // value is not NaN
    const double k = std::nearbyint((value - origin) / step);
    if (!(k > static_cast<double>(low))) return low;
    if (!(k < static_cast<double>(high))) return high;
    return static_cast<std::int64_t>(k);
  }
  double value_of(double k) const { return origin + k * step; }
  bool operator==(const Lattice&) const = default;
};

// The most a sum of placed values moves, in lattice steps, when one row comes or goes
// (missing counts as 0), and when one row is replaced by another.
std::int64_t sensitivity_add_remove(const Lattice& lattice);
std::int64_t sensitivity_replace(const Lattice& lattice);

// Origin in the middle of the bounds: for averages. Symmetric: low == -high.
Lattice centred_lattice(double lower, double upper, bool integral);
// Origin 0: for sums.
Lattice anchored_lattice(double lower, double upper, bool integral);

}  // namespace dpmix
