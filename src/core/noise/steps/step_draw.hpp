// draw_step with the slack of its coin between landings and dips (exact_coin.hpp): tests send it
// down the exact path.
#pragma once

#include "core/noise/steps/step_law.hpp"

namespace dpmix {

Int128 draw_step(RandomStream& random, const StepLaw& law, double slack);

}  // namespace dpmix
