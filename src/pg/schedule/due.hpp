// When the periods of a schedule are due: period n at start + n * period, each counted from the
// start, so that neither short months nor daylight saving time make it drift. In the session's
// TimeZone, which callers set to that of the schedule.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace dpmix::pg {

struct Calendar {
  TimestampTz start;
  Interval period;
};

// PV005 unless 1 minute to 10 years, in parts that are not negative; and the start finite, within a
// thousand years of now.
void require_calendar(const Calendar& calendar);

// DT_NOEND: after the year 9999.
TimestampTz due_of(const Calendar& calendar, int64 period);
// The last one that is due by then; -1: none is.
int64 latest_due(const Calendar& calendar, TimestampTz now);

}  // namespace dpmix::pg
