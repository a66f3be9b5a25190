// A column's value as an integer: clamped to public bounds, rounded to a public lattice.
//
// Enters: a value of a row and a lattice made of the owner's bounds alone. Leaves: an integer k in
// [low, high], the value read as origin + k * step. Integer and range are certain whatever the
// floating point did, so the sensitivity of a sum is about the very numbers summed.
// Bad rows, by one rule: NULL and NaN are missing (they contribute nothing); +-Inf and values out
// of bounds are clamped. No row raises. Proof: docs/proofs/stats.md.
#pragma once

#include <cmath>
#include <cstdint>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace dpmix {

// A lattice made ready for many rows. place() divides by the step as a product with its inverse:
// exact when the step is a power of two, hence for integral columns; else within two roundings of
// the quotient, which can only matter to a value half-way between two points.
struct LatticePlacer {
  double origin, inverse, low, high;  // low and high are integers

  std::int64_t place(double value) const {  // value is not NaN
    double k = (value - origin) * inverse;
    k = k > low ? k : low;
    k = k < high ? k : high;
    return nearest(k);  // between low and high, as these are integers
  }
  // Ties to even. Not nearbyint(), which is a call into the C library for each row.
  static std::int64_t nearest(double k) {  // |k| <= 2^53
#ifdef __SSE2__
    return _mm_cvtsd_si64(_mm_set_sd(k));
#else
    return std::llrint(k);
#endif
  }
};

struct Lattice {
  double origin = 0, step = 1;
  std::int64_t low = 0, high = 0;  // low <= high, magnitude at most 2^53

  static constexpr std::int64_t max_index = std::int64_t{1} << 53;  // every index is a double too

  LatticePlacer placer() const {
    return {origin, 1 / step, static_cast<double>(low), static_cast<double>(high)};
  }
  std::int64_t place(double value) const { return placer().place(value); }  // value is not NaN
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
