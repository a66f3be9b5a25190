// The largest hockey-stick divergence of a unit mixture over all shifts in [0, 1], bounded with
// proof. delta(shift) is not monotone, and between grid points it is bounded by theirs:
//   delta(shift; epsilon) <= max(delta(a; e'), delta(b; e')) / cos(h/2s),  shift in [a, b],
//   h = b - a < pi s,  e' = epsilon + log cos(h/2s),
// because P(Z + t in B), as a function q(t), satisfies q'' >= -q/s^2 for every set B.
// Proof: docs/proofs/multi_gaussian.md, "All shifts".
#pragma once

#include "core/mechanism/hockey_stick.hpp"

namespace dpmix {

struct ShiftCover {
  bool proved = false;   // that the supremum is at most the limit
  double bound = 1;      // if proved: a proved bound on the supremum, at most the limit
  double violation = 0;  // if not proved and > 0: a shift at which delta exceeds the limit, proved
};

// limit > 0.
ShiftCover cover_all_shifts(const UnitMixture& law, double epsilon, double limit);

// The best lower bound found on the supremum by looking around, and where. No proof of being the
// worst; tells cover_all_shifts what to try.
struct ShiftPeak {
  double shift, delta;
};
ShiftPeak look_for_peak(const UnitMixture& law, double epsilon, double from, double tolerance);

}  // namespace dpmix
