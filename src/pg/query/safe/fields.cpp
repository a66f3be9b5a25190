#include "pg/query/safe/fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pg/query/safe/moments.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/query/safe/times.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
}

namespace dpmix::pg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class FieldOf { dates, times, both };

struct Field {
  int unit;            // PostgreSQL's DTK_ number
  FieldOf of;          // what has it, besides timestamps
  bool whole;          // whole numbers only
  double first, last;  // between these it comes round; infinite: it rises with time
};
constexpr Field kFields[] = {
    {DTK_YEAR, FieldOf::dates, true, -kInfinity, kInfinity},
    {DTK_ISOYEAR, FieldOf::dates, true, -kInfinity, kInfinity},
    {DTK_DECADE, FieldOf::dates, true, -kInfinity, kInfinity},
    {DTK_CENTURY, FieldOf::dates, true, -kInfinity, kInfinity},
    {DTK_MILLENNIUM, FieldOf::dates, true, -kInfinity, kInfinity},
    {DTK_JULIAN, FieldOf::dates, false, -kInfinity, kInfinity},
    {DTK_EPOCH, FieldOf::both, false, -kInfinity, kInfinity},
    {DTK_QUARTER, FieldOf::dates, true, 1, 4},
    {DTK_MONTH, FieldOf::dates, true, 1, 12},
    {DTK_WEEK, FieldOf::dates, true, 1, 53},
    {DTK_DAY, FieldOf::dates, true, 1, 31},
    {DTK_DOY, FieldOf::dates, true, 1, 366},
    {DTK_DOW, FieldOf::dates, true, 0, 6},
    {DTK_ISODOW, FieldOf::dates, true, 1, 7},
    {DTK_HOUR, FieldOf::times, true, 0, 24},  // 24:00 is a time
    {DTK_MINUTE, FieldOf::times, true, 0, 59},
    {DTK_SECOND, FieldOf::times, false, 0, 60},
    {DTK_MILLISEC, FieldOf::times, false, 0, 60e3},
    {DTK_MICROSEC, FieldOf::times, true, 0, 60e6},
};

const Field* field_named(const Node* name) {
  const int unit = unit_of_time(name);
  for (const Field& field : kFields) {
    if (field.unit == unit) return &field;
  }
  refuse_construct(
      psprintf("the field %s of a time is", TextDatumGetCString(constant_value(name))),
      "Use year, isoyear, decade, century, millennium, quarter, month, week, day, doy, dow, "
      "isodow, hour, minute, second, milliseconds, microseconds, epoch or julian.");
}

// The function over a type, as PostgreSQL has it, whose result is float8 or numeric. date_part of a
// date is one of SQL, which fails beyond what a timestamp holds: extract is called.
struct FieldFunction {
  Oid function;
  Oid type;
  Oid exact, fast;  // what is called: numeric, or float8
};
constexpr FieldFunction kFunctions[] = {
    {F_EXTRACT_TEXT_DATE, DATEOID, F_EXTRACT_TEXT_DATE, InvalidOid},
    {F_DATE_PART_TEXT_DATE, DATEOID, F_EXTRACT_TEXT_DATE, InvalidOid},
    {F_EXTRACT_TEXT_TIMESTAMP, TIMESTAMPOID, F_EXTRACT_TEXT_TIMESTAMP, F_DATE_PART_TEXT_TIMESTAMP},
    {F_DATE_PART_TEXT_TIMESTAMP, TIMESTAMPOID, InvalidOid, F_DATE_PART_TEXT_TIMESTAMP},
    {F_EXTRACT_TEXT_TIMESTAMPTZ, TIMESTAMPTZOID, F_EXTRACT_TEXT_TIMESTAMPTZ,
     F_DATE_PART_TEXT_TIMESTAMPTZ},
    {F_DATE_PART_TEXT_TIMESTAMPTZ, TIMESTAMPTZOID, InvalidOid, F_DATE_PART_TEXT_TIMESTAMPTZ},
    {F_EXTRACT_TEXT_TIME, TIMEOID, F_EXTRACT_TEXT_TIME, F_DATE_PART_TEXT_TIME},
    {F_DATE_PART_TEXT_TIME, TIMEOID, InvalidOid, F_DATE_PART_TEXT_TIME},
    {F_EXTRACT_TEXT_INTERVAL, INTERVALOID, F_EXTRACT_TEXT_INTERVAL, F_DATE_PART_TEXT_INTERVAL},
    {F_DATE_PART_TEXT_INTERVAL, INTERVALOID, InvalidOid, F_DATE_PART_TEXT_INTERVAL},
};

const FieldFunction* field_function(Oid function) {
  for (const FieldFunction& known : kFunctions) {
    if (known.function == function) return &known;
  }
  return NULL;
}

// A whole number is the same either way, and float8 is there at once.
Expr* field_of(const FieldFunction* function, const Field* field, Expr* name, Expr* value) {
  const bool fast = OidIsValid(function->fast) && (field->whole || !OidIsValid(function->exact));
  Expr* call = call_builtin(fast ? function->fast : function->exact, fast ? FLOAT8OID : NUMERICOID,
                            list_make2(name, on_clock_of_session(value)));
  return as_float8(call);
}

bool has_field(Oid type, const Field* field) {
  switch (type) {
    case DATEOID:
      return field->of != FieldOf::times;
    case TIMEOID:
      return field->of != FieldOf::dates;
    case INTERVALOID:
      return field->unit != DTK_ISOYEAR && field->unit != DTK_WEEK && field->unit != DTK_DOY &&
             field->unit != DTK_DOW && field->unit != DTK_ISODOW && field->unit != DTK_JULIAN;
    default:
      return true;
  }
}

ValueInterval quotient(const ValueInterval& months, double divisor) {
  return {std::trunc(months.lower / divisor), std::trunc(months.upper / divisor), true};
}

// The part of a sign that values have which are all of one sign; both ways otherwise.
ValueInterval up_to(double most, bool whole, const ValueInterval& of) {
  return {of.lower >= 0 ? 0 : -most, of.upper <= 0 ? 0 : most, whole};
}

ValueInterval range_in_interval(const Field* field, const SafePart* of) {
  const IntervalShape& shape = of->interval;
  const ValueInterval sign = shape.justified ? of->range : ValueInterval{};
  switch (field->unit) {
    case DTK_EPOCH:
      return of->range;
    case DTK_YEAR:
      return quotient(shape.months, MONTHS_PER_YEAR);
    case DTK_DECADE:
      return quotient(shape.months, MONTHS_PER_YEAR * 10);
    case DTK_CENTURY:
      return quotient(shape.months, MONTHS_PER_YEAR * 100);
    case DTK_MILLENNIUM:
      return quotient(shape.months, MONTHS_PER_YEAR * 1000);
    case DTK_QUARTER:
      return {-4, 4, true};
    case DTK_MONTH:
      return up_to(11, true, shape.months);
    case DTK_DAY:
      return {shape.days.lower, shape.days.upper, true};
    case DTK_HOUR:
      if (shape.justified) return up_to(23, true, sign);
      if (shape.days == point(0) && shape.months == point(0))
        return quotient(of->range, SECS_PER_HOUR);
      return {-kInfinity, kInfinity, true};
    case DTK_MINUTE:
      return up_to(59, true, sign);
    default:
      return up_to(field->last, field->whole, sign);
  }
}

ValueInterval range_in_moment(const FieldFunction* function, const Field* field, Expr* name,
                              const SafePart* of) {
  if (std::isfinite(field->first)) {
    const double last = field->unit == DTK_HOUR && function->type != TIMEOID ? 23 : field->last;
    return {field->first, last, field->whole};
  }
  ValueInterval range;
  if (function->type == TIMEOID) {
    range = of->range;
  } else if (function->type == TIMESTAMPTZOID && field->unit != DTK_EPOCH) {
    // What the session's clock shows at the ends.
    const auto on_clock = [&](Expr* at) {
      return as_float8(call_builtin(F_EXTRACT_TEXT_TIMESTAMP, NUMERICOID, list_make2(name, at)));
    };
    range = image_of(on_clock, TIMESTAMPOID, on_local_clock(of->range));
  } else {
    const auto field_at = [&](Expr* at) { return field_of(function, field, name, at); };
    range = image_of(field_at, function->type, of->range);
  }
  range.integral = field->whole;
  return range;
}

SafePart field_part(const SafeCall* call, const FieldFunction* function) {
  Expr* name = call->part[0].value;
  const SafePart* of = &call->part[1];
  if (!is_constant((Node*)name)) {
    refuse_construct(psprintf("%s of a field that is not a constant is", call->name),
                     "Write the field: extract(year FROM day).");
  }
  const Field* field = field_named((Node*)name);
  if (!has_field(function->type, field)) {
    refuse_construct(
        psprintf("the field %s of type %s is", TextDatumGetCString(constant_value((Node*)name)),
                 format_type_be(function->type)),
        "Dates have no hours, times of day no days, intervals no weeks.");
  }
  take_small_values(call);
  Expr* number = field_of(function, field, name, of->value);
  ValueInterval range = function->type == INTERVALOID ? range_in_interval(field, of)
                                                      : range_in_moment(function, field, name, of);
  // A column of intervals is clamped where it becomes a number.
  if (function->type == INTERVALOID && call->compiler->bounded() && range.finite()) {
    number =
        call_dpmix("total_clamp", FLOAT8OID,
                   list_make3(number, float8_constant(range.lower), float8_constant(range.upper)));
  }
  return number_part(number, range);
}

}  // namespace

bool safe_field_function(const SafeCall* call, SafePart* made) {
  const FieldFunction* function = field_function(call->function);
  if (function == NULL) return false;
  *made = field_part(call, function);
  return true;
}

}  // namespace dpmix::pg
