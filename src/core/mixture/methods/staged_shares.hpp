// How a staged release divides what it may spend. A function of public numbers alone.
//
// Enters: features, shape, adjacency. Leaves: each stage's share of mu^2, and what the first
// stage's counts take of a row. Chosen on simulated tables (docs/proofs/mixture_staged.md), on
// which mu itself made no difference to what is best.
#pragma once

#include <vector>

#include "core/base/adjacency.hpp"
#include "core/mixture/fit/moments.hpp"
#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

struct GmmSchedule {
  static constexpr int stages = 7;

  // Shares of mu^2: for the box, for distances, then for whitened moments. Above 0, sum 1.
  std::vector<double> shares;
  double box_count;  // of a row's squared norm in the first stage
};
GmmSchedule gmm_schedule(int features, CovarianceShape shape, Adjacency adjacency);

}  // namespace dpmix
