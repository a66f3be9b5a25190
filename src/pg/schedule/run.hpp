// Runs of schedules, as dpmix.run_schedule makes them, for the clock.
#pragma once

#include "pg/schedule/store.hpp"

namespace dpmix::pg {

// What failed before its charge is tried again so much later, in milliseconds.
constexpr int kRetryFailedAfter = 10 * 60 * 1000;

// Whether a period is due that nothing became of yet.
bool is_waiting(const Schedule* schedule);

// Runs it, if it is waiting still. In a transaction of its caller's, which it commits and begins
// again; errors are raised, on record.
void run_waiting(int64 schedule);

}  // namespace dpmix::pg
