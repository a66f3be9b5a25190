// A mixture that is always valid, from the one-shot release's noisy moments. Post-processing.
#pragma once

#include <vector>

#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/fit/one_shot_plan.hpp"

namespace dpmix {

GmmFit fit_gmm(const std::vector<NoisyMoments>& moments, const GmmPlan& plan,
               GmmObjective objective);

}  // namespace dpmix
