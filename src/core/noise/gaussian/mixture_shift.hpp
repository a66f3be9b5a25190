// The hockey-stick divergence of a unit mixture and its shift:
//   delta(shift) = int (f(z) - e^epsilon f(z + shift))_+ dz,
// enclosed without ever relying on having found all sign changes: the line is cut into cells on
// which the sign is proved, and a cell whose sign is not proved counts in full against the law.
// Proof: docs/proofs/multi_gaussian.md, "One shift".
#pragma once

#include "core/noise/gaussian/unit_mixture.hpp"

namespace dpmix {

struct HockeyStick {
  double lower = 0, value = 0, upper = 0;  // lower <= delta <= upper, proved; value: best estimate
};

// Positions and shifts are multiples of 2^-level, so that z + shift is exact in double.
int finest_level(const UnitMixture& law);

// 0 <= shift <= 1, rounded to a multiple of 2^-finest_level(law); tolerance > 0: how much the cells
// of unproved sign may add to upper, absolutely. Any finite epsilon. The work is bounded: at worst,
// upper is loose.
HockeyStick hockey_stick(const UnitMixture& law, double epsilon, double shift, double tolerance);

}  // namespace dpmix
