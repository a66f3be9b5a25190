// The largest hockey-stick divergence of a unit mixture over all shifts in [0, 1], bounded with
// proof. Here f'' >= -f/s^2 because f mixes normals of scale s.
// Proof: docs/proofs/multi_gaussian.md, "All shifts".
#pragma once

#include "core/noise/gaussian/shift_cover.hpp"

namespace dpmix {

// limit > 0.
ShiftCover cover_all_shifts(const UnitMixture& law, double epsilon, double limit);

// The best lower bound found; tells cover_all_shifts what to try.
ShiftPeak look_for_peak(const UnitMixture& law, double epsilon, double from, double tolerance);

}  // namespace dpmix
