// The step laws of least noise, each (epsilon, delta)-DP on a lattice of so many steps in a
// sensitivity. Every law returned is one that step_delta_bound certifies.
//
// 1e-6 <= epsilon <= 1e7; 1e-300 <= delta <= .5 (least_staircase: delta is 0); sensitivity an
// integer, 1..2^53. Sources and proofs: docs/proofs/step_law.md.
#pragma once

#include "core/noise/steps/law.hpp"

namespace dpmix {

struct LeastSteps {
  StepLaw law;
  double delta_certified = 0;
};

// The landing of least E|K|: on the integers the best pure noise there is.
LeastSteps least_staircase(double epsilon, double sensitivity);
// Falls by e^-epsilon over a sensitivity, one lattice step at a time, and is cut off where delta
// allows.
LeastSteps least_truncated_laplace(double epsilon, double delta, double sensitivity);
// The landing half a sensitivity wide to each side, cut off where delta allows: rounded Tulap
// noise.
LeastSteps least_tulap(double epsilon, double delta, double sensitivity);
// The least E|K| over landing, dip, atom and cutoff: within 3% of the linear-programming lower
// bound for epsilon in [.25, 8], delta in [1e-6, .1].
LeastSteps least_optimal(double epsilon, double delta, double sensitivity);

}  // namespace dpmix
