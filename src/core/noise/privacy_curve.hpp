// The exact privacy curve of additive noise:
//   delta(phi) = sup_S P(Z in S) - e^eps P(Z + phi in S) = int (f(z) - e^eps f(z+phi))_+ dz.
// 0 <= epsilon <= 1e7, a valid law (check_law); else Error PV005.
#pragma once

#include <optional>

#include "core/noise/law.hpp"

namespace dpmix {

// The curve at one shift phi, 0 <= phi <= law.sensitivity. Not a bound. Accurate to about 1e-12
// relative, for multi_gaussian in the sense of a perturbed epsilon: the value lies between those at
// epsilon (1 +- 1e-13) +- 1e-12.
double delta_at(const NoiseLaw& law, double epsilon, double shift);

// An upper bound on sup over 0 <= phi <= law.sensitivity of delta_at, proved with outward rounding
// (docs/proofs/multi_gaussian.md); within .1% of the supremum (relative) or 1e-300, for
// multi_gaussian up to the same perturbation of epsilon. spare, 5e-5..5e-4: how far above the
// supremum (relative) the mixtures' searches look first; less is sharper, for more work.
double delta_bound(const NoiseLaw& law, double epsilon, double spare = 5e-4);

// A proved bound on the supremum that is at most delta, found by branch and bound without computing
// it to its full sharpness; nullopt: no proof was found.
std::optional<double> certificate(const NoiseLaw& law, double epsilon, double delta);
// Whether there is one.
bool certify(const NoiseLaw& law, double epsilon, double delta);

}  // namespace dpmix
