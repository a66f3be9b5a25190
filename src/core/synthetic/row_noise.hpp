// How much noise the synthetic rows of DP-CDA need: for each class about the least multiplier that
// row_target.hpp proves enough.
#pragma once

#include <span>
#include <vector>

#include "core/synthetic/row_target.hpp"

namespace dpmix {

// Multipliers that keep the target, a percent or so above the least. A function of
// the target and these loads alone.
std::vector<double> row_noise(const RowTarget& target, std::span<const ClassLoad> classes);

}  // namespace dpmix
