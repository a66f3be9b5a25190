#include "pg/query/safe/times.hpp"

#include <algorithm>
#include <cmath>

#include "pg/border/compat.hpp"
#include "pg/catalog/block_column.hpp"
#include "pg/query/safe/moments.hpp"
#include "pg/query/safe/moves.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

// No clock is a week away from UTC; what it shows is put back by as much again.
constexpr double kZoneReach = 15;  // days
// A month later the last days of a month are one day: what falls is the time of the day.
constexpr double kMonthSlack = SECS_PER_DAY;

// How far, in days, a result can be from the moment that it is made of.
struct Reach {
  double back, ahead;
};

// The moments whose results stay within the type of the result, whichever way they go.
struct Span {
  int64 first, last;  // in units of the moment's type
};

// Whole days: at most what a type holds.
int64 first_day(Oid type) {
  return type == DATEOID ? least_place(type) : least_place(type) / USECS_PER_DAY;
}
int64 last_day(Oid type) {
  return type == DATEOID ? largest_place(type) : largest_place(type) / USECS_PER_DAY;
}

Span span_of(Oid from, Oid to, const Reach& reach) {
  const double first = (double)first_day(to) + std::ceil(reach.back);
  const double last = (double)last_day(to) - std::ceil(reach.ahead);
  const auto moment_of = [&](double day) {
    const double clamped = std::clamp(day, (double)first_day(from), (double)last_day(from));
    return from == DATEOID ? (int64)clamped : (int64)clamped * USECS_PER_DAY;
  };
  Span span = {moment_of(first), moment_of(last)};
  if (reach.ahead == 0 && from != DATEOID) span.last = largest_place(from);
  return span;
}

struct TimeFunction {
  Oid function;
  Oid from, to;
  bool zone;  // looks at the clock of a time zone
};

constexpr TimeFunction kCasts[] = {
    {F_DATE_TIMESTAMP, TIMESTAMPOID, DATEOID, false},
    {F_TIMESTAMP_DATE, DATEOID, TIMESTAMPOID, false},
    {F_DATE_TIMESTAMPTZ, TIMESTAMPTZOID, DATEOID, true},
    {F_TIMESTAMP_TIMESTAMPTZ, TIMESTAMPTZOID, TIMESTAMPOID, true},
    {F_TIMESTAMPTZ_DATE, DATEOID, TIMESTAMPTZOID, true},
    {F_TIMESTAMPTZ_TIMESTAMP, TIMESTAMPOID, TIMESTAMPTZOID, true},
};

const TimeFunction* cast_in_time(Oid function) {
  for (const TimeFunction& known : kCasts) {
    if (known.function == function) return &known;
  }
  return NULL;
}

double slack_in(Oid type, double seconds) {
  return type == DATEOID ? seconds / SECS_PER_DAY : seconds;
}

// A call whose argument at this place is a moment, the others are constants.
struct MomentCall {
  const SafeCall* call;
  int at;
  Oid from, to;
  Reach reach;
  double slack;  // seconds
};

Expr* call_over(const MomentCall& of, Expr* at) {
  const Span span = span_of(of.from, of.to, of.reach);
  FuncExpr* made = (FuncExpr*)call_builtin(of.call->function, of.to, NIL);
  made->inputcollid = of.call->collation;
  for (int i = 0; i < of.call->count; i++) {
    made->args = lappend(
        made->args, i == of.at ? moment_within(at, span.first, span.last) : of.call->part[i].value);
  }
  return (Expr*)made;
}

SafePart rising_part(const MomentCall& of, const ValueInterval* range = NULL) {
  const SafePart& argument = of.call->part[of.at];
  const auto made_of = [&](Expr* at) { return call_over(of, at); };
  check_constants(of.call, made_of, of.from);
  take_small_values(of.call);
  SafePart made = plain_part(made_of(argument.value));
  made.range = range != NULL
                   ? *range
                   : image_of(made_of, of.from, argument.range, slack_in(of.to, of.slack));
  made.range.integral = of.to == DATEOID;
  return made;
}

SafePart cast_part(const SafeCall* call, const TimeFunction* cast) {
  const double reach = cast->zone ? kZoneReach : 0;
  // What the session's clock shows is known to the second.
  const bool to_clock = cast->zone && cast->from == TIMESTAMPTZOID;
  if (!to_clock) {
    return rising_part(
        {call, 0, cast->from, cast->to, {reach, reach}, cast->zone ? kClockSlack : 0});
  }
  ValueInterval shown = on_local_clock(call->part[0].range);
  if (cast->to == DATEOID) {
    shown = {std::floor(shown.lower / SECS_PER_DAY), std::floor(shown.upper / SECS_PER_DAY)};
  }
  return rising_part({call, 0, cast->from, cast->to, {reach, reach}, 0}, &shown);
}

constexpr const char* kZoneHint =
    "Write the time zone as a constant: seen AT TIME ZONE 'Asia/Tokyo'.";

void require_constant(const SafeCall* call, int argument, const char* what, const char* instead) {
  if (is_constant((Node*)call->part[argument].value)) return;
  refuse_construct(psprintf("%s that is not a constant is", what), instead);
}

// Days that a unit of date_trunc has at most.
double longest_unit(const Node* name) {
  switch (unit_of_time(name)) {
    case DTK_MILLENNIUM:
      return 366 * 1001;
    case DTK_CENTURY:
      return 366 * 101;
    case DTK_DECADE:
      return 366 * 11;
    case DTK_YEAR:
      return 366;
    case DTK_QUARTER:
      return 92;
    case DTK_MONTH:
      return 31;
    case DTK_WEEK:
      return 7;
    default:
      return 1;
  }
}

SafePart truncated_part(const SafeCall* call, Oid type) {
  require_constant(call, 0, "a unit of time",
                   "Write the unit as a constant: date_trunc('month', day).");
  if (call->count > 2) require_constant(call, 2, "a time zone", kZoneHint);
  const double zone = type == TIMESTAMPTZOID ? kZoneReach : 0;
  const Reach reach = {longest_unit((Node*)call->part[0].value) + zone, zone};
  return rising_part({call, 1, type, type, reach, zone > 0 ? kClockSlack : 0});
}

SafePart binned_part(const SafeCall* call, Oid type) {
  require_constant(call, 0, "a width of date_bin", "Write the width as a constant interval.");
  require_constant(call, 2, "an origin of date_bin", "Write the origin as a constant.");
  const Interval* width = DatumGetIntervalP(constant_value((Node*)call->part[0].value));
  const auto origin = DatumGetTimestamp(constant_value((Node*)call->part[2].value));
  const double days = width->day + (double)width->time / (double)USECS_PER_DAY;
  // What is computed is the distance from the origin, an int64 for moments so close to it.
  constexpr double kFar = 106e6;
  if (TIMESTAMP_NOT_FINITE(origin) || !is_finite(width) || !(days > 0 && days < kFar)) {
    refuse_argument("date_bin needs a width of days and hours, and a finite origin",
                    "The width is above 0, and has no months.", "Change the constants.");
  }
  const double at = (double)origin / (double)USECS_PER_DAY;
  const double least = (double)least_place(type) / (double)USECS_PER_DAY;
  const double greatest = (double)largest_place(type) / (double)USECS_PER_DAY;
  const Reach reach = {std::max(days + 1, at - kFar - least), std::max(0., greatest - (at + kFar))};
  return rising_part({call, 1, type, type, reach, 0});
}

SafePart zoned_part(const SafeCall* call, Oid from, Oid to) {
  require_constant(call, 0, "a time zone", kZoneHint);
  return rising_part({call, 1, from, to, {kZoneReach, kZoneReach}, kClockSlack});
}

// A function with the interval first is one of SQL: the other one is called.
SafePart moved_part(const SafeCall* call, Oid function, Oid from, Oid to, int at) {
  const Node* by = (const Node*)call->part[1 - at].value;
  if (!is_constant(by)) return moved_by_row(call, function, to, at);
  const Interval* span = DatumGetIntervalP(constant_value(by));
  if (!is_finite(span)) {
    refuse_construct("an infinite interval beside a time is", "Write a finite interval.");
  }
  const double zone = to == TIMESTAMPTZOID ? kZoneReach : 0;
  const double days = std::ceil(std::abs((double)span->month) * 31 + std::abs((double)span->day) +
                                std::abs((double)span->time) / (double)USECS_PER_DAY) +
                      1 + zone;
  SafeCall in_order = *call;
  in_order.function = function;
  SafePart part[] = {call->part[at], call->part[1 - at]};
  in_order.part = part;
  const double slack = (zone > 0 ? kClockSlack : 0) + (span->month != 0 ? kMonthSlack : 0);
  return rising_part({&in_order, 0, from, to, {days, days}, slack});
}

ValueInterval day_long() {
  return {0, SECS_PER_DAY};
}

// The time of day that a clock shows: of infinite moments none.
SafePart time_of_day_part(const SafeCall* call) {
  SafePart made = plain_part(
      call_builtin(call->function, TIMEOID, list_make1(on_clock_of_session(call->part[0].value))));
  made.range = day_long();
  return made;
}

// It comes round.
SafePart moved_time_of_day(const SafeCall* call) {
  Expr* by = call_dpmix("total_finite", INTERVALOID, list_make1(call->part[1].value));
  SafePart made =
      plain_part(call_builtin(call->function, TIMEOID, list_make2(call->part[0].value, by)));
  made.range = day_long();
  return made;
}

SafePart day_and_time_part(const SafeCall* call, int day) {
  const Span span = span_of(DATEOID, TIMESTAMPOID, {0, 2});
  const SafePart &date = call->part[day], &time = call->part[1 - day];
  SafePart made = plain_part(
      call_builtin(F_DATETIME_PL, TIMESTAMPOID,
                   list_make2(moment_within(date.value, span.first, span.last), time.value)));
  made.range = {date.range.lower * SECS_PER_DAY + time.range.lower,
                date.range.upper * SECS_PER_DAY + time.range.upper};
  return made;
}

}  // namespace

Expr* in_session_zone(Expr* at) {
  const Oid from = exprType((Node*)at);
  if (from == TIMESTAMPTZOID) return at;
  const Span span = span_of(from, TIMESTAMPTZOID, {kZoneReach, kZoneReach});
  return call_builtin(from == DATEOID ? F_TIMESTAMPTZ_DATE : F_TIMESTAMPTZ_TIMESTAMP,
                      TIMESTAMPTZOID, list_make1(moment_within(at, span.first, span.last)));
}

Expr* on_clock_of_session(Expr* at) {
  const Oid type = exprType((Node*)at);
  if (type != TIMESTAMPTZOID) return at;
  const Span span = span_of(type, type, {kZoneReach, kZoneReach});
  return moment_within(at, span.first, span.last);
}

bool safe_time_function(const SafeCall* call, SafePart* made) {
  if (const TimeFunction* cast = cast_in_time(call->function); cast != NULL) {
    *made = cast_part(call, cast);
    return true;
  }
  switch (call->function) {
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
      *made = truncated_part(call, TIMESTAMPOID);
      return true;
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
      *made = truncated_part(call, TIMESTAMPTZOID);
      return true;
    case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
      *made = binned_part(call, TIMESTAMPOID);
      return true;
    case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ:
      *made = binned_part(call, TIMESTAMPTZOID);
      return true;
    case F_TIMEZONE_TEXT_TIMESTAMPTZ:
      *made = zoned_part(call, TIMESTAMPTZOID, TIMESTAMPOID);
      return true;
    case F_TIMEZONE_TEXT_TIMESTAMP:
      *made = zoned_part(call, TIMESTAMPOID, TIMESTAMPTZOID);
      return true;
    case F_DATE_PL_INTERVAL:
    case F_DATE_MI_INTERVAL:
      *made = moved_part(call, call->function, DATEOID, TIMESTAMPOID, 0);
      return true;
    case F_INTERVAL_PL_DATE:
      *made = moved_part(call, F_DATE_PL_INTERVAL, DATEOID, TIMESTAMPOID, 1);
      return true;
    case F_TIMESTAMP_PL_INTERVAL:
    case F_TIMESTAMP_MI_INTERVAL:
      *made = moved_part(call, call->function, TIMESTAMPOID, TIMESTAMPOID, 0);
      return true;
    case F_INTERVAL_PL_TIMESTAMP:
      *made = moved_part(call, F_TIMESTAMP_PL_INTERVAL, TIMESTAMPOID, TIMESTAMPOID, 1);
      return true;
    case F_TIMESTAMPTZ_PL_INTERVAL:
    case F_TIMESTAMPTZ_MI_INTERVAL:
      *made = moved_part(call, call->function, TIMESTAMPTZOID, TIMESTAMPTZOID, 0);
      return true;
    case F_INTERVAL_PL_TIMESTAMPTZ:
      *made = moved_part(call, F_TIMESTAMPTZ_PL_INTERVAL, TIMESTAMPTZOID, TIMESTAMPTZOID, 1);
      return true;
    case F_TO_TIMESTAMP_FLOAT8:
      *made = time_of_seconds(call);
      return true;
    case F_TIME_TIMESTAMP:
    case F_TIME_TIMESTAMPTZ:
      *made = time_of_day_part(call);
      return true;
    case F_TIME_PL_INTERVAL:
    case F_TIME_MI_INTERVAL:
      *made = moved_time_of_day(call);
      return true;
    case F_DATETIME_PL:
      *made = day_and_time_part(call, 0);
      return true;
    case F_TIMEDATE_PL:
      *made = day_and_time_part(call, 1);
      return true;
    case F_ISFINITE_DATE:
    case F_ISFINITE_TIMESTAMP:
    case F_ISFINITE_TIMESTAMPTZ:
    case F_OVERLAPS_TIMESTAMP_TIMESTAMP_TIMESTAMP_TIMESTAMP:
    case F_OVERLAPS_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ:
    case F_OVERLAPS_TIME_TIME_TIME_TIME:
      *made = same_call(call);
      return true;
    default:
      return false;
  }
}

}  // namespace dpmix::pg
