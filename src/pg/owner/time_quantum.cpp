// set_time_quantum: to what constants are rounded that queries compare with a column in time.
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/owner/owned_column.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
PG_FUNCTION_INFO_V1(dpmix_set_time_quantum);
}

namespace dpmix::pg {
namespace {

constexpr int64 kMostDays = 10000;

Statement upsert_quantum = {
    "INSERT INTO dpmix.column_domain (table_id, column_name, attnum, quantum) "
    "VALUES ($1, $2, $3, $4) ON CONFLICT (table_id, column_name) "
    "DO UPDATE SET attnum = excluded.attnum, quantum = excluded.quantum"};

[[noreturn]] void refuse_quantum(const OwnedColumn* column, const char* why) {
  refuse_argument(psprintf("the time quantum of column \"%s\" is not valid", column->name), why,
                  "Pass an interval such as '5 minutes', '1 hour' or '1 day'; NULL for none.");
}

int64 microseconds(const OwnedColumn* column, const Interval* quantum) {
  if (quantum->month != 0) refuse_quantum(column, "Months and years are not of one length.");
  const int64 day = quantum->day;
  if (day < -kMostDays || day > kMostDays || quantum->time < -kMostDays * USECS_PER_DAY ||
      quantum->time > kMostDays * USECS_PER_DAY ||
      day * USECS_PER_DAY + quantum->time > kMostDays * USECS_PER_DAY) {
    refuse_quantum(column, psprintf("It is above " INT64_FORMAT " days.", kMostDays));
  }
  const int64 found = day * USECS_PER_DAY + quantum->time;
  if (found <= 0) refuse_quantum(column, "It is not above 0.");
  if (column->type == DATEOID && found % USECS_PER_DAY != 0) {
    refuse_quantum(column, "That of a date is a number of days.");
  }
  return found;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_set_time_quantum(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  const OwnedColumn column = open_column(fcinfo);
  if (!is_in_time(&column))
    refuse_type(&column, "a time quantum", "date, timestamp and timestamptz");
  const bool some = !PG_ARGISNULL(2);
  const Value quantum =
      value_if(some, some ? microseconds(&column, PG_GETARG_INTERVAL_P(2)) : int64{0});
  as_catalog_owner([&] {
    (void)write_rows(upsert_quantum,
                     {column.table_id, name_value(column.name), column.attnum, quantum});
  });
  PG_RETURN_VOID();
}
