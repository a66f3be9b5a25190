#include "pg/schedule/due.hpp"

#include <cmath>

#include "pg/border/guard.hpp"

extern "C" {
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
}

namespace dpmix::pg {
namespace {

// 365.2425 days a year.
constexpr double kMonth = 30.436875 * USECS_PER_DAY;
constexpr double kShortest = 60.0 * USECS_PER_SEC, kLongest = 120 * kMonth;
constexpr double kThousandYears = 12000 * kMonth;

double mean_period(const Calendar& calendar) {  // microseconds
  const Interval& period = calendar.period;
  return period.month * kMonth + period.day * (double)USECS_PER_DAY + (double)period.time;
}

TimestampTz year_10000() {
  return (date2j(10000, 1, 1) - POSTGRES_EPOCH_JDATE) * (int64)USECS_PER_DAY;
}

}  // namespace

void require_calendar(const Calendar& calendar) {
  const Interval& period = calendar.period;
  const double mean = mean_period(calendar);
  if (period.month < 0 || period.day < 0 || period.time < 0 ||
      !(mean >= kShortest && mean <= kLongest)) {
    refuse_argument(
        "invalid period of a schedule",
        psprintf("It is %s; the valid range is 1 minute to 10 years, of which no part is negative.",
                 DatumGetCString(
                     DirectFunctionCall1(interval_out, IntervalPGetDatum(&calendar.period)))),
        "Give an interval such as 1 day, 1 week or 1 month.");
  }
  const double away = (double)calendar.start - (double)GetCurrentTimestamp();
  if (TIMESTAMP_NOT_FINITE(calendar.start) || std::fabs(away) > kThousandYears) {
    refuse_argument("invalid start of a schedule",
                    psprintf("It is %s; it must be within a thousand years.",
                             timestamptz_to_str(calendar.start)),
                    "Leave it out to start now.");
  }
}

TimestampTz due_of(const Calendar& calendar, int64 period) {
  const double end = (double)year_10000();
  if ((double)calendar.start + (double)period * mean_period(calendar) >= end) return DT_NOEND;
  // Before the year 10000 nothing of this can overflow.
  Interval distance = calendar.period;
  distance.month *= (int32)period;
  distance.day *= (int32)period;
  distance.time *= period;
  return DatumGetTimestampTz(DirectFunctionCall2(
      timestamptz_pl_interval, TimestampTzGetDatum(calendar.start), IntervalPGetDatum(&distance)));
}

int64 latest_due(const Calendar& calendar, TimestampTz now) {
  if (now < calendar.start) return -1;
  // The mean is off by days at most, so this takes a few steps.
  const double distance = (double)Min(now, year_10000()) - (double)calendar.start;
  int64 period = (int64)(distance / mean_period(calendar));
  while (due_of(calendar, period) > now) period--;
  while (due_of(calendar, period + 1) <= now) period++;
  return period;
}

}  // namespace dpmix::pg
