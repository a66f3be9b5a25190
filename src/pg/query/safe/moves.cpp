#include "pg/query/safe/moves.hpp"

#include <algorithm>
#include <cmath>

#include "pg/query/safe/moments.hpp"
#include "pg/query/safe/numbers.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
}

namespace dpmix::pg {
namespace {

// How far a time is moved by months more or less than by their seconds as extract(epoch FROM ...)
// counts them: what years have days too few or many of, and months, and the days that are no days
// of a shorter month. Of intervals whose parts are of one sign.
double slack_of_months(const ValueInterval& seconds) {
  constexpr double kYear = DAYS_PER_YEAR * SECS_PER_DAY;
  const double years = std::max(std::abs(seconds.lower), std::abs(seconds.upper)) / kYear;
  return (11 + .01 * years) * SECS_PER_DAY;
}

bool goes_back(Oid function) {
  return function == F_DATE_MI_INTERVAL || function == F_TIMESTAMP_MI_INTERVAL ||
         function == F_TIMESTAMPTZ_MI_INTERVAL;
}

ValueInterval in_seconds(const ValueInterval& range, Oid type) {
  if (type != DATEOID) return range;
  return {range.lower * SECS_PER_DAY, range.upper * SECS_PER_DAY};
}

}  // namespace

SafePart moved_by_row(const SafeCall* call, Oid function, Oid to, int at) {
  const SafePart &time = call->part[at], &by = call->part[1 - at];
  const Oid from = exprType((Node*)time.value);
  Expr* movable = call_dpmix("total_movable", from, list_make2(time.value, by.value));
  SafePart made =
      plain_part(call_builtin(function, to, list_make2(movable, (Expr*)copyObjectImpl(by.value))));
  take_small_values(call);
  const RowOperation operation = goes_back(function) ? RowOperation::subtract : RowOperation::add;
  made.range = interval_of(operation, in_seconds(time.range, from), by.range);
  if (!made.range.finite()) return made;
  double slack = to == TIMESTAMPTZOID ? kClockSlack : 0;
  if (by.interval.months != point(0)) slack += slack_of_months(by.range);
  made.range.lower -= slack;
  made.range.upper += slack;
  return made;
}

// to_timestamp(seconds), its range taken out to the next microseconds, as PostgreSQL computes it.
SafePart time_of_seconds(const SafeCall* call) {
  constexpr double kEpoch =
      (double)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (double)SECS_PER_DAY;
  constexpr double kMicrosecond = 1e-6;
  const SafePart& seconds = call->part[0];
  Expr* guarded = call_dpmix("total_epoch", FLOAT8OID, list_make1(number_of(&seconds)));
  SafePart made =
      plain_part(call_builtin(F_TO_TIMESTAMP_FLOAT8, TIMESTAMPTZOID, list_make1(guarded)));
  made.range = {seconds.range.lower - kEpoch - kMicrosecond,
                seconds.range.upper - kEpoch + kMicrosecond};
  return made;
}

}  // namespace dpmix::pg
