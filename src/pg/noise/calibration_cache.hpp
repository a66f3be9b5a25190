// Calibrations that were made before: by this session, then by any session of the server
// (calibration_shared.hpp), so that repeating one costs well under a microsecond.
//
// Call it inside guard(). Throws what calibrate() throws, and keeps nothing then.
#pragma once

#include <optional>

#include "core/noise/calibration.hpp"

namespace dpmix::pg {

Calibration cached_calibration(Family family, double epsilon, double delta, double sensitivity,
                               std::optional<int> components);
// The same of calibrate_on_lattice().
Calibration cached_on_lattice(Family family, double epsilon, double delta, double sensitivity,
                              std::optional<int> components);

}  // namespace dpmix::pg
