// Which blocks the periods of a schedule will name, as far as the calendar has to be looked at: a
// block that no period names more often than a fresh one can pay is never spent by them.
#pragma once

#include "pg/catalog/blocks_read.hpp"
#include "pg/ledger/balance.hpp"
#include "pg/schedule/store.hpp"

namespace dpmix::pg {

// places: what a period reads, of two due times, its own and the next. uniform: at the same
// distance from each due time. Under the schedule's settings.
const PeriodsAhead* periods_ahead(
    const Schedule* schedule, int64 next, const BlockColumn& blocks, bool uniform,
    Callable<Places(int64 period, TimestampTz due, TimestampTz later)> places);

}  // namespace dpmix::pg
