// The time of a clock that never jumps. The time of day may be set back by an hour, and no wait may
// last that long.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "portability/instr_time.h"
}

namespace dpmix::pg {

inline int64 steady_microseconds() {
  instr_time now;
  INSTR_TIME_SET_CURRENT(now);
  return (int64)INSTR_TIME_GET_MICROSEC(now);
}

}  // namespace dpmix::pg
