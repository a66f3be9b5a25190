// Runs of schedules, as dpmix.run_schedule makes them, for the clock.
#pragma once

#include "pg/schedule/store.hpp"

namespace dpmix::pg {

// Whether a period is due that nothing became of yet, or that failed before its charge ten minutes
// ago.
bool is_waiting(const Schedule* schedule);

// Runs it, if it is waiting still. In a transaction of its caller's, which it commits and begins
// again; errors are raised, on record.
void run_waiting(int64 schedule);

}  // namespace dpmix::pg
