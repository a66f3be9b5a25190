// The calibrations that this backend made last, so that repeating one costs well under a
// microsecond. Pure functions of public numbers: a hit tells nothing.
//
// Plain C++ without PostgreSQL calls: call it inside guard(). Throws what calibrate() throws, and
// keeps nothing then.
#pragma once

#include <optional>

#include "core/mechanism/calibration.hpp"

namespace dpmix::pg {

Calibration cached_calibration(Family family, double epsilon, double delta, double sensitivity,
                               std::optional<int> components = std::nullopt);

// The family of least expected |noise| among those that are (epsilon, delta)-DP; laplace for
// delta = 0. With components given: multi_gaussian.
Calibration cached_least_error(double epsilon, double delta, double sensitivity,
                               std::optional<int> components = std::nullopt);

}  // namespace dpmix::pg
