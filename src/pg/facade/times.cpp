#include "pg/facade/times.hpp"

#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

Expr* date_2000() {
  return (Expr*)constant(DATEOID, InvalidOid, DateADTGetDatum(0));
}

Expr* seconds_of(Oid function, Expr* time) {
  Expr* field = (Expr*)constant(TEXTOID, DEFAULT_COLLATION_OID, CStringGetTextDatum("epoch"));
  return call_builtin(function, FLOAT8OID, list_make2(field, time));
}

Expr* as_interval(Expr* seconds) {
  Interval* second = (Interval*)palloc0(sizeof(Interval));
  second->time = USECS_PER_SEC;
  return call_builtin(
      F_MUL_D_INTERVAL, INTERVALOID,
      list_make2(seconds, constant(INTERVALOID, InvalidOid, IntervalPGetDatum(second))));
}

}  // namespace

Expr* number_of_time(Expr* time) {
  switch (exprType((Node*)time)) {
    case DATEOID:
      return call_builtin(F_DATE_MI, INT4OID, list_make2(time, date_2000()));
    case TIMEOID:
      return seconds_of(F_DATE_PART_TEXT_TIME, time);
    case TIMESTAMPOID:
      return seconds_of(F_DATE_PART_TEXT_TIMESTAMP, time);
    case TIMESTAMPTZOID:
      return seconds_of(F_DATE_PART_TEXT_TIMESTAMPTZ, time);
    case INTERVALOID:
      return seconds_of(F_DATE_PART_TEXT_INTERVAL, time);
    default:
      return NULL;
  }
}

Expr* time_of_number(Expr* number, Oid type) {
  switch (type) {
    case DATEOID:
      return call_builtin(
          F_DATE_PLI, DATEOID,
          list_make2(date_2000(), call_builtin(F_INT4_FLOAT8, INT4OID, list_make1(number))));
    case TIMESTAMPOID: {
      constexpr int64 kDays = UNIX_EPOCH_JDATE - POSTGRES_EPOCH_JDATE;
      const Datum epoch = TimestampGetDatum(kDays * USECS_PER_DAY);
      return call_builtin(
          F_TIMESTAMP_PL_INTERVAL, TIMESTAMPOID,
          list_make2(constant(TIMESTAMPOID, InvalidOid, epoch), as_interval(number)));
    }
    case TIMESTAMPTZOID:
      return call_builtin(F_TO_TIMESTAMP_FLOAT8, TIMESTAMPTZOID, list_make1(number));
    case TIMEOID:
      return call_builtin(F_TIME_INTERVAL, TIMEOID, list_make1(as_interval(number)));
    case INTERVALOID:
      return call_builtin(F_JUSTIFY_HOURS, INTERVALOID, list_make1(as_interval(number)));
    default:
      return NULL;
  }
}

}  // namespace dpmix::pg
