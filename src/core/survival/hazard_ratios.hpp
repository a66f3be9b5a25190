// How much sooner events come in one group than in another: hazard ratios by the score equations of
// Cox (1972) for groups, which are linear in the counts of each bin, so that negative ones are no
// harm.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/survival/table.hpp"

namespace dpmix {

struct LogRatio {           // of the hazard to that of the first group
  double estimate, stddev;  // of the counts and the noise in them
};

// The ratios of each group but the first, over the bins that all groups tell. Within a bin the
// hazard is constant, and censored people leave in its middle. Nothing where no bin is told, or
// where the noise hides how much the counts tell: the information of some group is below three
// deviations of the noise in it.
std::optional<std::vector<LogRatio>> hazard_ratios(std::span<const SurvivalTable> groups);

}  // namespace dpmix
