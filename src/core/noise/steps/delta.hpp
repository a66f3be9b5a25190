// The certificate of the step laws: how far they are from their shifts.
// Proof: docs/proofs/step_law.md.
#pragma once

#include "core/noise/steps/law.hpp"

namespace dpmix {

// delta(j) = sup_S P(K in S) - e^epsilon P(K + j in S) at a shift of j lattice steps, an integer
// 0..sensitivity, to about 1e-12 relative: not a bound.
double step_delta_at(const StepLaw& law, double epsilon, double shift);
// A proved upper bound on the supremum over all such shifts, with outward rounding.
double step_delta_bound(const StepLaw& law, double epsilon);

}  // namespace dpmix
