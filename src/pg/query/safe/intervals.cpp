#include "pg/query/safe/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pg/query/safe/moments.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ValueInterval whole_days(const ValueInterval& seconds) {
  if (!seconds.finite()) return {-kInfinity, kInfinity, true};
  return {std::trunc(seconds.lower / SECS_PER_DAY), std::trunc(seconds.upper / SECS_PER_DAY), true};
}

// Days of 24 hours, and what is left, of one sign.
SafePart difference_part(const SafeCall* call) {
  const SafePart *later = &call->part[0], *earlier = &call->part[1];
  SafePart made = plain_part(
      call_dpmix("total_time_between", INTERVALOID, list_make2(later->value, earlier->value)));
  made.range = interval_of(RowOperation::subtract, later->range, earlier->range);
  made.interval = {point(0), whole_days(made.range), true};
  return made;
}

SafePart between_times_of_day(const SafeCall* call) {
  SafePart made = same_call(call);
  made.range = {-SECS_PER_DAY, SECS_PER_DAY};
  made.interval = {point(0), point(0), false};  // 24:00 is a time
  return made;
}

SafePart since_midnight(const SafeCall* call) {
  SafePart made = same_call(call);
  made.range = call->part[0].range;
  made.interval = {point(0), point(0), false};
  return made;
}

// Seconds of full months as extract(epoch FROM ...) counts them. It rises with them.
double seconds_of_months(double months) {
  const double years = std::trunc(months / MONTHS_PER_YEAR);
  return years * (DAYS_PER_YEAR * SECS_PER_DAY) +
         (months - years * MONTHS_PER_YEAR) * (DAYS_PER_MONTH * (double)SECS_PER_DAY);
}

double months_of(Expr* age) {
  const Expr* made = evaluate_expr(age, INTERVALOID, -1, InvalidOid);
  const Const* value = IsA(made, Const) ? (const Const*)made : NULL;
  if (value == NULL || value->constisnull) return std::nan("");
  return DatumGetIntervalP(value->constvalue)->month;
}

// Full months, then days and time, of one sign. The longest and the shortest age are those of the
// ends; which days of their months these are decides on one month.
SafePart age_part(const SafeCall* call, Oid type) {
  const auto age_of = [&](Expr* later, Expr* earlier) {
    const auto finite = [&](Expr* at) { return call_dpmix("total_finite", type, list_make1(at)); };
    return call_builtin(call->function, INTERVALOID, list_make2(finite(later), finite(earlier)));
  };
  const SafePart *later = &call->part[0], *earlier = &call->part[1];
  SafePart made = plain_part(age_of(later->value, earlier->value));
  ValueInterval months = {-kInfinity, kInfinity, true};
  if (later->range.finite() && earlier->range.finite()) {
    const auto age_at = [&](double last, double first) {
      return months_of(age_of((Expr*)first_moment(type, last), (Expr*)first_moment(type, first)));
    };
    const double least = age_at(later->range.lower, earlier->range.upper) - 1;
    const double greatest = age_at(later->range.upper, earlier->range.lower) + 1;
    if (least <= greatest) {
      constexpr double kDays = 32. * SECS_PER_DAY;
      months = {least, greatest, true};
      made.range = {seconds_of_months(least) - kDays, seconds_of_months(greatest) + kDays};
    }
  }
  made.interval = {months, {-31, 31, true}, true};
  return made;
}

// Seconds of days of which 30 are a month, and 12 of these a year.
double seconds_in_months(double seconds) {
  constexpr double kMonth = DAYS_PER_MONTH * (double)SECS_PER_DAY;
  const double months = std::trunc(seconds / kMonth);
  return seconds_of_months(months) + (seconds - months * kMonth);
}

// Days become months: a year has more days than 12 months, so that an interval gets longer, by as
// many years as it has at most. Of intervals whose parts are of one sign.
ValueInterval with_months(const ValueInterval& range, const IntervalShape& shape) {
  if (!range.finite()) return range;
  if (shape.months == point(0) && shape.justified) {
    return {seconds_in_months(range.lower), seconds_in_months(range.upper)};
  }
  return {std::min(range.lower, seconds_in_months(range.lower)) - SECS_PER_DAY * DAYS_PER_MONTH,
          std::max(range.upper, seconds_in_months(range.upper)) + SECS_PER_DAY * DAYS_PER_MONTH};
}

ValueInterval months_in(const ValueInterval& seconds) {
  constexpr double kMonth = DAYS_PER_MONTH * (double)SECS_PER_DAY;
  if (!seconds.finite()) return {-kInfinity, kInfinity, true};
  return {std::trunc(seconds.lower / kMonth), std::trunc(seconds.upper / kMonth), true};
}

SafePart justified_part(const SafeCall* call) {
  const SafePart& of = call->part[0];
  SafePart made = plain_part(
      call_builtin(call->function, INTERVALOID,
                   list_make1(call_dpmix("total_justifiable", INTERVALOID, list_make1(of.value)))));
  const bool no_months = of.interval.months == point(0);
  if (call->function == F_JUSTIFY_HOURS) {
    made.range = of.range;
    const ValueInterval all = whole_days(of.range);
    const ValueInterval some = {std::min(all.lower, 0.), std::max(all.upper, 0.), true};
    made.interval = {of.interval.months, no_months ? all : some, true};
    return made;
  }
  made.range = with_months(of.range, of.interval);
  const bool one_sign =
      call->function == F_JUSTIFY_INTERVAL || (no_months && of.interval.justified);
  made.interval = {months_in(made.range), {-30, 30, true}, one_sign};
  return made;
}

}  // namespace

bool safe_interval_function(const SafeCall* call, SafePart* made) {
  switch (call->function) {
    case F_TIMESTAMP_MI:
    case F_TIMESTAMPTZ_MI:
      *made = difference_part(call);
      break;
    case F_TIME_MI_TIME:
      *made = between_times_of_day(call);
      break;
    case F_INTERVAL_TIME:
      *made = since_midnight(call);
      break;
    case F_AGE_TIMESTAMP_TIMESTAMP:
      *made = age_part(call, TIMESTAMPOID);
      break;
    case F_AGE_TIMESTAMPTZ_TIMESTAMPTZ:
      *made = age_part(call, TIMESTAMPTZOID);
      break;
    case F_JUSTIFY_HOURS:
    case F_JUSTIFY_DAYS:
    case F_JUSTIFY_INTERVAL:
      *made = justified_part(call);
      break;
    case F_ISFINITE_INTERVAL:
      *made = same_call(call);
      return true;
    default:
      return false;
  }
  take_small_values(call);
  return true;
}

}  // namespace dpmix::pg
