// How far curves of noisy counts may be off.
//
// Enters: a table of noisy counts, of which nothing is cut. Leaves: bands that hold what they are
// of at all told bins together, at the level: the curve of these very people at their very times
// (`noise`), and that of the population that they were drawn from (`all`), if leaving early has
// nothing to do with the event. Each end is the bound of the curve over what may happen within a
// bin, moved by so many deviations of it that all bins hold together (Bonferroni). The noise's part
// of them is its law pushed through the curve; the other part is that of binomial counts.
// docs/proofs/survival.md
#pragma once

#include "core/survival/table.hpp"

namespace dpmix {

struct Ends {
  double low, high;
};

struct BandPoint {
  double estimate;  // as it comes, also where it rises or is beyond 0 and 1
  Ends noise, all;  // within these; low never above high
};
using Band = std::vector<BandPoint>;  // of told bins, in order

// 0 < level < 1.
Band survival_band(const SurvivalTable& table, double level);
Band incidence_band(const SurvivalTable& table, int kind, double level);
// The time that is lived up to the end of each told bin. Each alone holds at the level.
Band mean_time_intervals(const SurvivalTable& table, double width, double level);

}  // namespace dpmix
