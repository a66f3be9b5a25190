// Total functions of times that row expressions are compiled to: NULL where PostgreSQL's own would
// raise an error. All are strict. They stand before functions of PostgreSQL's, which are strict too
// and have a result for all that these let through (docs/proofs/query_times.md).
#include <cmath>

#include "pg/border/compat.hpp"

using dpmix::pg::is_finite;

extern "C" {
#include "common/int.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

namespace {

constexpr double kUsecsPerDay = (double)USECS_PER_DAY;

// Days that an interval may move a time, by way of a clock that is less than 15 days from UTC.
double days_moved(const Interval* by) {
  return std::ceil(31 * std::abs((double)by->month) + std::abs((double)by->day) +
                   std::abs((double)by->time) / kUsecsPerDay) +
         16;
}

bool can_move(double day, const Interval* by) {
  const double reach = days_moved(by);
  return day - reach >= (double)MIN_TIMESTAMP / kUsecsPerDay &&
         day + reach < (double)END_TIMESTAMP / kUsecsPerDay;
}

}  // namespace

PG_FUNCTION_INFO_V1(dpmix_total_within_date);
PG_FUNCTION_INFO_V1(dpmix_total_within_time);
PG_FUNCTION_INFO_V1(dpmix_total_finite_time);
PG_FUNCTION_INFO_V1(dpmix_total_clamp_date);
PG_FUNCTION_INFO_V1(dpmix_total_clamp_time);
PG_FUNCTION_INFO_V1(dpmix_total_time_between);
PG_FUNCTION_INFO_V1(dpmix_total_movable_date);
PG_FUNCTION_INFO_V1(dpmix_total_movable_time);
PG_FUNCTION_INFO_V1(dpmix_total_finite_interval);
PG_FUNCTION_INFO_V1(dpmix_total_justifiable);
PG_FUNCTION_INFO_V1(dpmix_total_epoch);

// Infinite times are what they are in any function that takes them.
Datum dpmix_total_within_date(PG_FUNCTION_ARGS) {
  const DateADT date = PG_GETARG_DATEADT(0);
  const bool within = date >= PG_GETARG_DATEADT(1) && date <= PG_GETARG_DATEADT(2);
  if (!within && !DATE_NOT_FINITE(date)) PG_RETURN_NULL();
  PG_RETURN_DATEADT(date);
}

Datum dpmix_total_within_time(PG_FUNCTION_ARGS) {
  const Timestamp time = PG_GETARG_TIMESTAMP(0);
  const bool within = time >= PG_GETARG_TIMESTAMP(1) && time <= PG_GETARG_TIMESTAMP(2);
  if (!within && !TIMESTAMP_NOT_FINITE(time)) PG_RETURN_NULL();
  PG_RETURN_TIMESTAMP(time);
}

Datum dpmix_total_finite_time(PG_FUNCTION_ARGS) {
  const Timestamp time = PG_GETARG_TIMESTAMP(0);
  if (TIMESTAMP_NOT_FINITE(time)) PG_RETURN_NULL();
  PG_RETURN_TIMESTAMP(time);
}

Datum dpmix_total_clamp_date(PG_FUNCTION_ARGS) {
  const DateADT date = PG_GETARG_DATEADT(0);
  PG_RETURN_DATEADT(Min(Max(date, PG_GETARG_DATEADT(1)), PG_GETARG_DATEADT(2)));
}

Datum dpmix_total_clamp_time(PG_FUNCTION_ARGS) {
  const Timestamp time = PG_GETARG_TIMESTAMP(0);
  PG_RETURN_TIMESTAMP(Min(Max(time, PG_GETARG_TIMESTAMP(1)), PG_GETARG_TIMESTAMP(2)));
}

Datum dpmix_total_time_between(PG_FUNCTION_ARGS) {
  const Timestamp end = PG_GETARG_TIMESTAMP(0), start = PG_GETARG_TIMESTAMP(1);
  int64 between;
  const bool finite = !TIMESTAMP_NOT_FINITE(end) && !TIMESTAMP_NOT_FINITE(start);
  const bool valued = finite ? !pg_sub_s64_overflow(end, start, &between)
                             : dpmix::pg::kInfiniteIntervals && end != start;
  if (!valued) PG_RETURN_NULL();
  return DirectFunctionCall2(timestamp_mi, TimestampGetDatum(end), TimestampGetDatum(start));
}

// Infinite ones move to themselves, where intervals are finite.
Datum dpmix_total_movable_date(PG_FUNCTION_ARGS) {
  const DateADT date = PG_GETARG_DATEADT(0);
  const Interval* by = PG_GETARG_INTERVAL_P(1);
  const bool finite = !DATE_NOT_FINITE(date), moves = is_finite(by);
  const bool valued = finite ? !moves || can_move(date, by) : moves;
  if (!valued) PG_RETURN_NULL();
  PG_RETURN_DATEADT(date);
}

Datum dpmix_total_movable_time(PG_FUNCTION_ARGS) {
  const Timestamp time = PG_GETARG_TIMESTAMP(0);
  const Interval* by = PG_GETARG_INTERVAL_P(1);
  const bool finite = !TIMESTAMP_NOT_FINITE(time), moves = is_finite(by);
  const bool valued = finite ? !moves || can_move((double)time / kUsecsPerDay, by) : moves;
  if (!valued) PG_RETURN_NULL();
  PG_RETURN_TIMESTAMP(time);
}

Datum dpmix_total_finite_interval(PG_FUNCTION_ARGS) {
  if (!is_finite(PG_GETARG_INTERVAL_P(0))) PG_RETURN_NULL();
  PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

// Days and months that hours and days are added to stay within 32 bits.
Datum dpmix_total_justifiable(PG_FUNCTION_ARGS) {
  const Interval* of = PG_GETARG_INTERVAL_P(0);
  const double days =
      std::abs((double)of->day) + std::ceil(std::abs((double)of->time) / kUsecsPerDay) + 1;
  const double months = std::abs((double)of->month) + std::ceil(days / DAYS_PER_MONTH) + 1;
  if (is_finite(of) && !(days < PG_INT32_MAX && months < PG_INT32_MAX)) PG_RETURN_NULL();
  PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

// Seconds since 1970 that are a time, infinite ones among them.
Datum dpmix_total_epoch(PG_FUNCTION_ARGS) {
  const double seconds = PG_GETARG_FLOAT8(0);
  const double days = seconds / SECS_PER_DAY + (UNIX_EPOCH_JDATE - POSTGRES_EPOCH_JDATE);
  const bool within = days > (double)MIN_TIMESTAMP / kUsecsPerDay + 1 &&
                      days < (double)END_TIMESTAMP / kUsecsPerDay - 1;
  if (!within && !std::isinf(seconds)) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(seconds);
}
}
