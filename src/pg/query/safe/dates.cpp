#include "pg/query/safe/dates.hpp"

#include "pg/query/safe/numbers.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
}

namespace dpmix::pg {
namespace {

// A date as days, clamped to its bounds where values are: columns keep their type till here.
Expr* days_of(const SafeCall* call, const SafePart* part) {
  Expr* days = call_to_float8(part->value);
  if (!call->compiler->bounded() || !part->range.finite()) return days;
  return call_dpmix(
      "total_clamp", FLOAT8OID,
      list_make3(days, float8_constant(part->range.lower), float8_constant(part->range.upper)));
}

SafePart moved_by_days(const SafePart* date, Expr* days, const ValueInterval& range) {
  SafePart made = plain_part(call_dpmix("total_date_add", DATEOID, list_make2(date->value, days)));
  made.range = range;
  return made;
}

}  // namespace

bool safe_date_function(const SafeCall* call, SafePart* made) {
  const SafePart *a = &call->part[0], *b = &call->part[1];
  switch (call->function) {
    case F_DATE_PLI:
      *made = moved_by_days(a, number_of(b), interval_of(RowOperation::add, a->range, b->range));
      return true;
    case F_INTEGER_PL_DATE:
      *made = moved_by_days(b, number_of(a), interval_of(RowOperation::add, a->range, b->range));
      return true;
    case F_DATE_MII:
      *made = moved_by_days(a, call_builtin(F_FLOAT8UM, FLOAT8OID, list_make1(number_of(b))),
                            interval_of(RowOperation::subtract, a->range, b->range));
      return true;
    case F_DATE_MI:
      *made = number_part(
          call_dpmix("total_subtract", FLOAT8OID, list_make2(days_of(call, a), days_of(call, b))),
          interval_of(RowOperation::subtract, a->range, b->range));
      return true;
    case F_DATE_TIMESTAMP:
      *made = same_call(call);
      return true;
    default:
      return false;
  }
}

}  // namespace dpmix::pg
