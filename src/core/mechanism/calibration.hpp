// The least noise of a family that is (epsilon, delta)-DP at a given sensitivity.
//
// Ranges: 1e-6 <= epsilon <= 1e7, 0 <= delta <= .5, sensitivity finite and > 0, components in
// 1..1000 for multi_gaussian (absent: the number that gives the least E|Z|). Else Error PV005.
// gaussian and multi_gaussian need delta >= 1e-300; laplace ignores delta and is (epsilon, 0)-DP.
// No scale leaves uncertified: delta_certified <= delta is a proved bound over every shift.
#pragma once

#include <optional>

#include "core/mechanism/noise_law.hpp"

namespace dpmix {

constexpr double kLeastDelta = 1e-300;  // below it the certificates have no doubles to speak of

struct Calibration {
  NoiseLaw law;
  double delta_certified = 0;
};

Calibration calibrate(Family family, double epsilon, double delta, double sensitivity,
                      std::optional<int> components = std::nullopt);

// Throws Error PV005 naming the range unless epsilon and delta lie in it.
void check_epsilon_delta(double epsilon, double delta);

}  // namespace dpmix
