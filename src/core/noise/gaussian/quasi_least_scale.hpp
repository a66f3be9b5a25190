// The least certified scale of quasi-Gaussian noise.
#pragma once

#include "core/noise/gaussian/quasi.hpp"

namespace dpmix {

struct LeastQuasi {
  QuasiGaussian law;
  double delta_certified = 0;
};
// The least certified scale with weight_epsilon = epsilon, within .2% of the least valid one.
// 1e-6 <= epsilon <= 1e7, 1e-300 <= delta <= .5.
LeastQuasi least_quasi(double epsilon, double delta);

}  // namespace dpmix
