// What became of the periods of a schedule, as rows of dpmix.schedule_run.
#pragma once

#include "pg/schedule/store.hpp"

namespace dpmix::pg {

struct Attempt {
  const char* state;  // NULL: the period has none
  int32 number;       // 0 when skipped
  TimestampTz finished;
};
// The last period on record; first_period - 1: none.
int64 last_period(const Schedule* schedule);
Attempt last_attempt(const Schedule* schedule, int64 period);
// Attempt 0 records that the period will not be run. Returns the number in dpmix.schedule_run; the
// row remembers the newest charge.
int64 insert_attempt(const Schedule* schedule, int64 period, int32 attempt);
// Attempts that say running. To be asked under the schedule's lock: none of them is.
int running_attempts(const Schedule* schedule, int64** ids);
// What became of an attempt that did not store its release: spent where there is a charge of it,
// else failed. No charge of it may be under way (settle_charges).
void close_attempt(int64 run);
// Its release is stored; by the transaction that stores it.
void close_stored(int64 run);
void record_error(int64 run, const ErrorData* error);

}  // namespace dpmix::pg
