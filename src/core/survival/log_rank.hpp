// Do groups survive alike? The log-rank test (Mantel 1966) of noisy counts.
#pragma once

#include <optional>
#include <span>

#include "core/survival/table.hpp"

namespace dpmix {

struct LogRank {
  double statistic;  // of a chi-squared law, if all groups survive alike
  int degrees;
  double p_value;
  int bins;  // that all groups tell
};

// Events of each group less those expected, over the bins that all groups tell; their covariance
// is the hypergeometric one and that of the noise. Nothing where they tell none, there is one
// group, or the noise hides the covariance.
std::optional<LogRank> log_rank(std::span<const SurvivalTable> groups);

}  // namespace dpmix
