// The search for the step law of least E|K|. Heuristic: it proves nothing, and what it finds is
// certified (least_steps.cpp).
#pragma once

#include "core/noise/steps/law.hpp"

namespace dpmix {

// Tulap noise (Awan, Slavkovic 2018) rounded to the lattice, before it is cut off.
StepLaw tulap_shape(double epsilon, double sensitivity);

// The shape that has the least E|K| when it is cut off at delta, found from the landings of
// `start`.
StepLaw best_step_shape(double epsilon, double delta, const StepLaw& start);

}  // namespace dpmix
