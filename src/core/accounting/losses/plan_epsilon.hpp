// What a plan of releases costs in all, if the whole plan is fixed before its first answer: a tool
// to plan with. What analysts choose one after the other is admitted by a filter (filter.hpp),
// which cannot count so closely.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/noise/law.hpp"

namespace dpmix {

struct PlanPart {
  std::optional<NoiseLaw> law;  // in lattice units; none: any release of that guarantee
  double epsilon, delta;        // of one of these releases
  std::int64_t times;           // 1..2^30
};

// The least epsilon proved of all releases of a plan together at delta, 0 < delta < 1; infinite:
// none is. It is within .5% of the truth for Gaussian noise and for releases of which the guarantee
// is known. Proof: docs/proofs/loss_distribution.md, "Plans".
double plan_epsilon(std::span<const PlanPart> plan, double delta);

}  // namespace dpmix
