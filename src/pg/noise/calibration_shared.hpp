// Calibrations that all sessions of the server share: pure functions of public numbers, so a hit
// tells nothing of any table (that some session asked before shows in the time: docs/
// threat_model.md).
//
// What is found here becomes noise. It is what this very build of the library computed: the memory
// is named after the linker's build id, and written and read as a whole under one lock. Without
// memory or a build id nothing is found and nothing kept; no function here raises.
#pragma once

#include "core/noise/calibration.hpp"

namespace dpmix::pg {

struct CalibrationKey {  // all that calibrate() or calibrate_on_lattice() depends on
  bool on_lattice;
  Family family;
  int components;  // 0: chosen by calibration
  double epsilon, delta, sensitivity;
  bool operator==(const CalibrationKey&) const = default;
};

void calibration_shared_init();  // called by _PG_init

bool find_shared(const CalibrationKey& key, Calibration* calibration);
// Takes the place of the oldest when all are in use.
void publish(const CalibrationKey& key, const Calibration& calibration);

}  // namespace dpmix::pg
