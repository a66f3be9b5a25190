#include "pg/query/safe/moments.hpp"

#include <algorithm>
#include <cmath>

#include "pg/border/guard.hpp"
#include "pg/border/subtransaction.hpp"
#include "pg/catalog/block_column.hpp"
#include "pg/rows/to_float8.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/scansup.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

constexpr double kMicroseconds = (double)USECS_PER_SEC;

Const* moment(Oid type, int64 at) {
  return constant(type, InvalidOid, value_at_place(type, at));
}

// The moment of a number in the units of the type; numbers beyond the type are its ends.
Const* nearest_moment(Oid type, double units) {
  const int64 least = least_place(type), largest = largest_place(type);
  if (!(units > (double)least)) return moment(type, least);
  if (!(units < (double)largest)) return moment(type, largest);
  return moment(type, (int64)units);
}

double in_units(Oid type, double number) {
  return type == DATEOID ? number : number * kMicroseconds;
}

// NULL: it has no value there.
const Const* value_of(Expr* call) {
  const Expr* made =
      evaluate_expr(call, exprType((Node*)call), exprTypmod((Node*)call), InvalidOid);
  const Const* value = IsA(made, Const) ? (const Const*)made : NULL;
  return value == NULL || value->constisnull ? NULL : value;
}

// Clocks are changed by so much at most between two moments that are so far apart.
constexpr pg_time_t kLook = 14 * SECS_PER_DAY;
constexpr pg_time_t kEpoch = (pg_time_t)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;

double shown_at(pg_time_t at) {
  const pg_tm* local = pg_localtime(&at, session_timezone);
  return (double)(at - kEpoch) + (local == NULL ? 0 : (double)local->tm_gmtoff);
}

struct ClockChange {
  bool found;
  pg_time_t at;
  long before, after;  // ahead of UTC, in seconds
};

ClockChange change_after(pg_time_t at) {
  ClockChange change = {};
  int before_summer, after_summer;
  change.found = pg_next_dst_boundary(&at, &change.before, &before_summer, &change.at,
                                      &change.after, &after_summer, session_timezone) == 1;
  return change;
}

}  // namespace

double number_in_time(const Const* constant) {
  const Datum value = constant->constvalue;
  switch (constant->consttype) {
    case TIMEOID:
      return (double)DatumGetTimeADT(value) / kMicroseconds;
    case INTERVALOID:
      return DatumGetFloat8(
          DirectFunctionCall2(interval_part, CStringGetTextDatum("epoch"), value));
    default:
      return value_float8(constant->consttype, value);
  }
}

IntervalShape shape_of(const Const* interval) {
  const Interval* value = DatumGetIntervalP(interval->constvalue);
  const int sign = (value->time > 0) - (value->time < 0);
  const bool justified =
      std::abs((double)value->time) < (double)USECS_PER_DAY && (int64)value->day * sign >= 0;
  return {point(value->month), point(value->day), justified};
}

int unit_of_time(const Node* name) {
  const char* written = TextDatumGetCString(constant_value(name));
  char* lower = downcase_truncate_identifier(written, (int)strlen(written), false);
  int unit = -1;
  if (DecodeUnits(0, lower, &unit) == UNKNOWN_FIELD) (void)DecodeSpecial(0, lower, &unit);
  return unit;
}

Const* first_moment(Oid type, double number) {
  return nearest_moment(type, std::ceil(in_units(type, number)));
}

Const* last_moment(Oid type, double number) {
  return nearest_moment(type, std::floor(in_units(type, number)));
}

Expr* clamped_moment(Expr* at, const ValueInterval& range) {
  const Oid type = exprType((Node*)at);
  return call_dpmix(
      "total_clamp", type,
      list_make3(at, first_moment(type, range.lower), last_moment(type, range.upper)));
}

Expr* moment_within(Expr* at, int64 first, int64 last) {
  const Oid type = exprType((Node*)at);
  if (first <= least_place(type) && last >= largest_place(type)) return at;
  return call_dpmix("total_within", type, list_make3(at, moment(type, first), moment(type, last)));
}

ValueInterval image_of(const OfMoment& function, Oid type, const ValueInterval& range,
                       double slack) {
  ValueInterval image;
  if (!range.finite()) return image;
  const Const* least = value_of(function((Expr*)first_moment(type, range.lower)));
  const Const* greatest = value_of(function((Expr*)last_moment(type, range.upper)));
  if (least != NULL) image.lower = number_in_time(least) - slack;
  if (greatest != NULL) image.upper = number_in_time(greatest) + slack;
  return image;
}

// What is shown falls at changes of the clocks alone, so that the least is shown at the first
// moment or right after such a change, and the greatest at the last one or right before.
ValueInterval on_local_clock(const ValueInterval& range) {
  if (!range.finite()) return range;
  // What is declared may be beyond all moments.
  const double lower = number_in_time(first_moment(TIMESTAMPTZOID, range.lower));
  const double upper = number_in_time(last_moment(TIMESTAMPTZOID, range.upper));
  const auto first = (pg_time_t)std::floor(lower) + kEpoch;
  const auto last = (pg_time_t)std::ceil(upper) + kEpoch;
  double least = shown_at(first), greatest = shown_at(last);
  const auto shown = [](pg_time_t at, long ahead) { return (double)(at - kEpoch) + (double)ahead; };
  for (ClockChange change = change_after(first); change.found; change = change_after(change.at)) {
    if (change.at > std::min(last, first + kLook)) break;
    least = std::min(least, shown(change.at, change.after));
  }
  for (ClockChange change = change_after(std::max(first, last - kLook)); change.found;
       change = change_after(change.at)) {
    if (change.at > last) break;
    greatest = std::max(greatest, shown(change.at, change.before));
  }
  return {least, greatest};
}

void check_constants(const SafeCall* call, const OfMoment& function, Oid type) {
  const ErrorData* error = error_of([&] { (void)value_of(function((Expr*)moment(type, 0))); });
  if (error == NULL) return;
  refuse_argument(psprintf("%s cannot be computed with these constants", call->name),
                  error->message, "Change the constants.");
}

// Numerics, intervals and texts of a few bytes, with what a block of them takes.
void take_small_values(const SafeCall* call) {
  call->compiler->scope->bytes->staying += 512;
}

}  // namespace dpmix::pg
