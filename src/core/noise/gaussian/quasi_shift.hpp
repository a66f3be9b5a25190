// The hockey-stick divergence of quasi-Gaussian noise and its shift, at one shift:
//   delta(shift) = int (f(z) - e^epsilon f(z + shift))_+ dz,
// enclosed by cutting the line into cells of proved sign; a cell whose sign is not proved counts in
// full against the law. Proof: docs/proofs/quasi_gaussian.md, "One shift".
#pragma once

#include "core/noise/gaussian/mixture_shift.hpp"
#include "core/noise/gaussian/quasi.hpp"

namespace dpmix {

// 0 <= shift <= 1; tolerance > 0: how much the cells of unproved sign may add to upper, absolutely.
// Any finite epsilon. The enclosure holds for every scale within 2^-50 of law.scale, relatively.
// The work is bounded: at worst, upper is loose.
HockeyStick quasi_stick(const QuasiGaussian& law, double epsilon, double shift, double tolerance);

// Proves that log f varies by at most `most` over [0, 1], for every such scale; false: no proof.
bool proved_flat(const QuasiGaussian& law, double most);

}  // namespace dpmix
