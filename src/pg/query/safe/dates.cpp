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
      *made =
          number_part(call_dpmix("total_subtract", FLOAT8OID,
                                 list_make2(call_to_float8(a->value), call_to_float8(b->value))),
                      interval_of(RowOperation::subtract, a->range, b->range));
      return true;
    default:
      return false;
  }
}

}  // namespace dpmix::pg
