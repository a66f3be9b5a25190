// The least noise of a family that is (epsilon, delta)-DP at a given sensitivity.
//
// Ranges: 1e-6 <= epsilon <= 1e7, 0 <= delta <= .5, sensitivity finite and > 0, components in
// 1..1000 for multi_gaussian (absent: the number that gives the least E|Z|). Else Error PV005.
// The pure families (laplace, staircase) ignore delta and are (epsilon, 0)-DP; all others need
// delta >= kLeastDelta. No scale leaves uncertified: delta_certified <= delta is a proved bound
// over every shift.
#pragma once

#include <optional>

#include "core/noise/law.hpp"

namespace dpmix {

struct Calibration {
  NoiseLaw law;
  double delta_certified = 0;
};

// Calibrates in the units of the statistic. The step families are designed on a lattice of
// kFineLattice steps in a sensitivity (steps/law.hpp).
Calibration calibrate(Family family, double epsilon, double delta, double sensitivity,
                      std::optional<int> components = std::nullopt);
// Calibrates in lattice units: sensitivity is a number of lattice steps, for the step families an
// integer, 1..2^53, and they are designed for that very lattice.
Calibration calibrate_on_lattice(Family family, double epsilon, double delta, double sensitivity,
                                 std::optional<int> components = std::nullopt);

}  // namespace dpmix
