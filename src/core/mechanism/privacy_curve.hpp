// The exact privacy curve of additive noise:
//   delta(phi) = sup_S P(Z in S) - e^eps P(Z + phi in S) = int (f(z) - e^eps f(z+phi))_+ dz.
#pragma once

#include "core/mechanism/noise_law.hpp"

namespace dpmix {

// At one shift phi, 0 <= phi <= law.sensitivity. Accurate to about 1e-12 relative; not a bound.
double delta_at(const NoiseLaw& law, double epsilon, double shift);

// An upper bound on sup over 0 <= phi <= law.sensitivity of delta_at, proved with outward rounding
// (docs/proofs/multi_gaussian.md); within .1% of the supremum (relative) or 1e-300.
double delta_bound(const NoiseLaw& law, double epsilon);

// Whether delta_bound(law, epsilon) <= delta, decided by branch and bound without computing the
// bound to its full sharpness. True is a proof; false means no proof was found.
bool certify(const NoiseLaw& law, double epsilon, double delta);

}  // namespace dpmix
