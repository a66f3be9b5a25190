// A step law from its family's own parameters, where calibration chose the rest (least_steps.hpp).
#pragma once

#include "core/noise/law.hpp"

namespace dpmix {

// The law with these parameters on the lattice of kFineLattice steps in a sensitivity; scale,
// sensitivity and cutoff in the units of the statistic. The density falls by e over a distance of
// scale; what certificates are about is the law returned, whose fall is sensitivity / scale to the
// nearest double. staircase: the landing of least E|Z| for that fall, no cutoff. truncated_laplace,
// tulap: cut off at the largest multiple of the step that is at most cutoff. Throws Error PV005 for
// `optimal`, which has more parameters, and for numbers out of range.
NoiseLaw step_family_law(Family family, double scale, double sensitivity, double cutoff);

}  // namespace dpmix
