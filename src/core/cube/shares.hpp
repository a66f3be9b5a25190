// Which part of the guarantee each grouping set's table takes.
//
// Enters: a workload. Leaves: shares above 0 that add up to 1, but for rounding, for which the mean
// over the sets of the variance of their answers is within kGap of the least there is among such
// shares. Shares of less than kLeast / sets are raised to that. The same on every machine: only
// arithmetic that IEEE 754 rounds, and no input but the workload.
#pragma once

#include <vector>

#include "core/cube/workload.hpp"

namespace dpmix {

struct CubeShares {
  std::vector<double> share;
  double gap;  // the relative excess of the mean variance, at most, before small shares were raised
};
CubeShares cube_shares(const CubeWorkload& workload);

}  // namespace dpmix
