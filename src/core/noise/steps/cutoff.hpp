// Where a step law may be cut off.
#pragma once

#include "core/noise/steps/law.hpp"

namespace dpmix {

// The shape with the least cutoff and edge for which delta at a shift of a whole sensitivity is at
// most `delta`, up to rounding: an estimate, to be certified. fall * sensitivity / period is at
// most epsilon; atom < delta <= .5.
StepLaw cut_off(StepLaw shape, double epsilon, double delta);

}  // namespace dpmix
