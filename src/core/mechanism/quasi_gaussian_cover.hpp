// The largest hockey-stick divergence of quasi-Gaussian noise over all shifts in [0, 1], bounded
// with proof. Between grid points it is bounded by theirs,
//   delta(shift; epsilon) <= max(delta(a; e'), delta(b; e')) / cos(h/2s),  shift in [a, b],
//   h = b - a < pi s,  e' = epsilon + log cos(h/2s),
// because f'' >= -f/s^2, the kink at 0 included: it is convex.
// Proof: docs/proofs/quasi_gaussian.md, "All shifts".
#pragma once

#include "core/mechanism/quasi_gaussian.hpp"

namespace dpmix {

struct QuasiCover {
  bool proved = false;   // that the supremum is at most the limit
  double bound = 1;      // if proved: a proved bound on the supremum, at most the limit
  double violation = 0;  // if not proved and > 0: a shift at which delta exceeds the limit, proved
};

// limit > 0.
QuasiCover cover_quasi_shifts(const QuasiGaussian& law, double epsilon, double limit);

// The largest delta found by looking around, and where. No proof of being the worst.
struct QuasiPeak {
  double shift, delta;
};
QuasiPeak look_for_quasi_peak(const QuasiGaussian& law, double epsilon, double tolerance);

}  // namespace dpmix
