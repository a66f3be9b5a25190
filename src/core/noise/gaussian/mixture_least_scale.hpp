// The least certified scale of a unit multi-Gaussian mixture with a given number of components.
#pragma once

namespace dpmix {

struct LeastScale {
  double scale = 0;            // in units of the sensitivity
  double delta_certified = 0;  // proved over all shifts, at most the delta asked for
};

// 1e-300 <= delta <= .5, components >= 1. The scale is within .15% of the least one that is
// valid.
LeastScale least_scale(double epsilon, double delta, int components);

}  // namespace dpmix
