// Exact draws of a step law. Proof: docs/proofs/step_law.md, "Sampler".
#pragma once

#include "core/base/int128.hpp"
#include "core/noise/steps/law.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// slack: of the coin between landings and dips (exact_coin.hpp); tests send it down the exact path.
Int128 draw_step(RandomStream& random, const StepLaw& law, double slack = 0x1p-40);

}  // namespace dpmix
