// The shifts at which the hockey-stick divergence of a step law and its shift has its supremum.
// Proof: docs/proofs/step_law.md.
#pragma once

#include <vector>

#include "core/base/int128.hpp"
#include "core/noise/steps/law.hpp"

namespace dpmix {

// The shifts, each in 1..sensitivity, among which one has the largest delta.
std::vector<Int128> worst_step_shifts(const StepLaw& law);

// Is the weight a function that never increases in |k|?
inline bool is_unimodal(const StepLaw& law) {
  return law.dip >= 1 || 2 * law.half_width + 1 == law.period;
}

}  // namespace dpmix
