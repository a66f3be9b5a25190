// The hockey-stick divergence of a unit mixture at the full shift 1, and when the full shift is
// the worst. There the components of f(z) and f(z + 1) coincide, so that
//   f(z) - e^epsilon f(z + 1) = sum_j c_j N(z - j),   j = -K-1, ..., K,
// has coefficients of one sign change, hence exactly one root: nothing cancels and nothing is
// searched for. Proof: docs/proofs/multi_gaussian.md, "The full shift".
#pragma once

#include "core/noise/gaussian/mixture_shift.hpp"

namespace dpmix {

HockeyStick hockey_stick_full_shift(const UnitMixture& law, double epsilon);

// True is a proof that f decreases on [0, infinity). False means that no proof was found.
bool proved_unimodal(const UnitMixture& law);

// True is a proof that delta(shift) never decreases in the shift, so that the full shift is the
// worst: f decreases, or where it does not, no shift of at most 1 has anything to gain. False
// means that no proof was found. epsilon >= 0.
bool full_shift_is_worst(const UnitMixture& law, double epsilon);

}  // namespace dpmix
