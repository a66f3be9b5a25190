// From a column's value to an integer: clamp to public bounds, round to a public lattice.
//
// Enters: a value of a row and a lattice made of the owner's bounds alone. Leaves: an integer k in
// [low, high], the value read as origin + k * step. The clamp is on the integer, after rounding,
// so the sensitivity of a sum is about the very numbers summed, whatever the floating point did.
// Bad rows, by one rule: NULL and NaN are missing (they contribute nothing); +-Inf and values out
// of bounds are clamped. No row raises. Proof: docs/proofs/stats.md.
#pragma once

#include <cmath>
#include <cstdint>

namespace dpmix {

struct Lattice {
  double origin = 0, step = 1;
  std::int64_t low = 0, high = 0;  // low <= high, magnitude at most 2^53

  static constexpr std::int64_t max_index = std::int64_t{1} << 53;  // every index is a double too

  std::int64_t place(double value) const {  // value is not NaN
    const double k = std::nearbyint((value - origin) / step);
    if (!(k > static_cast<double>(low))) return low;
    if (!(k < static_cast<double>(high))) return high;
    return static_cast<std::int64_t>(k);
  }
  double value_of(double k) const { return origin + k * step; }
  // What place() relies on: finite origin, positive normal step, ordered and representable indices.
  bool valid() const;
  bool operator==(const Lattice&) const = default;
};

// The most a sum of placed values moves, in lattice steps, when one row comes or goes
// (missing counts as 0), and when one row is replaced by another. At least 1 on the lattices below.
std::int64_t sensitivity_add_remove(const Lattice& lattice);
std::int64_t sensitivity_replace(const Lattice& lattice);

// Both refuse bounds that are not finite with lower < upper (Error PV005). An integral column whose
// bounds are integers of magnitude at most 2^52 is placed without any rounding (step 1 or .5);
// otherwise 2^30 steps span half of the bounds' range, or their larger magnitude.

// Origin in the middle of the bounds: for averages. Symmetric: low == -high.
Lattice centred_lattice(double lower, double upper, bool integral);
// Origin 0: for sums.
Lattice anchored_lattice(double lower, double upper, bool integral);

}  // namespace dpmix
