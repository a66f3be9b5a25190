// Moments and tails of a step law. Proofs: docs/proofs/step_law.md.
#pragma once

#include "core/noise/steps/law.hpp"

namespace dpmix {

// E|K| and the variance, in lattice steps, relative error below 1e-9.
double step_expected_abs(const StepLaw& law);
double step_variance(const StepLaw& law);
// P(|K| > k), k an integer >= 0 (to 1e-12 relative).
double step_tail(const StepLaw& law, double k);

}  // namespace dpmix
