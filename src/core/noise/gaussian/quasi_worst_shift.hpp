// The largest hockey-stick divergence of quasi-Gaussian noise over all shifts in [0, 1], bounded
// with proof. Here f'' >= -f/s^2, the kink at 0 included: it is convex.
// Proof: docs/proofs/quasi_gaussian.md, "All shifts".
#pragma once

#include "core/noise/gaussian/quasi.hpp"
#include "core/noise/gaussian/shift_cover.hpp"

namespace dpmix {

// limit > 0.
ShiftCover cover_quasi_shifts(const QuasiGaussian& law, double epsilon, double limit);

// The best lower bound found; tells the searches where to start.
ShiftPeak look_for_quasi_peak(const QuasiGaussian& law, double epsilon, double tolerance);

}  // namespace dpmix
