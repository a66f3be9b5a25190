// set_memory, new_edition, forget: what the owner says about memory.
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/owner/edition.hpp"
#include "pg/owner/owned.hpp"

extern "C" {
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
PG_FUNCTION_INFO_V1(dpmix_set_memory);
PG_FUNCTION_INFO_V1(dpmix_new_edition);
PG_FUNCTION_INFO_V1(dpmix_forget);
}

namespace dpmix::pg {
namespace {

Statement upsert_terms = {
    "INSERT INTO dpmix.memory_terms (table_id, keep_seconds, scope) VALUES ($1, $2, $3) "
    "ON CONFLICT (table_id) DO UPDATE SET keep_seconds = excluded.keep_seconds, "
    "  scope = excluded.scope"};

Statement delete_items = {"DELETE FROM dpmix.memory_item WHERE $1 = ANY (table_ids)"};

int64 owned_id(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, 1);
  return open_owned(PG_GETARG_OID(0), ShareUpdateExclusiveLock)->id;
}

Value keep_argument(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(1)) return value_if(false, 0.);
  const Interval* keep = PG_GETARG_INTERVAL_P(1);
  const double seconds = (double)keep->time / USECS_PER_SEC + (double)keep->day * SECS_PER_DAY +
                         (double)keep->month * DAYS_PER_MONTH * SECS_PER_DAY;
  if (seconds < 0) {
    refuse_argument("keep is negative", "It says how long answers are kept.",
                    "Pass 0 to keep none, or an interval such as '1 day'.");
  }
  return seconds;
}

const char* scope_argument(FunctionCallInfo fcinfo) {
  const char* scope = text_argument(fcinfo, 2, "grant");
  if (strcmp(scope, "grant") != 0 && strcmp(scope, "table") != 0) {
    refuse_word("scope", scope, "grant or table");
  }
  return scope;
}

int64 next_edition(int64 table) {
  int64 edition = 0;
  as_catalog_owner([&] { edition = begin_edition(table); });
  return edition;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_set_memory(PG_FUNCTION_ARGS) {
  const int64 table = owned_id(fcinfo);
  const Value keep = keep_argument(fcinfo);
  const char* scope = scope_argument(fcinfo);
  as_catalog_owner([&] { (void)write_rows(upsert_terms, {table, keep, scope}); });
  PG_RETURN_VOID();
}

Datum dpmix_new_edition(PG_FUNCTION_ARGS) {
  PG_RETURN_INT64(next_edition(owned_id(fcinfo)));
}

// An answer that is on its way is written for the edition in which it was asked.
Datum dpmix_forget(PG_FUNCTION_ARGS) {
  const int64 table = owned_id(fcinfo);
  (void)next_edition(table);
  int64 count = 0;
  as_catalog_owner([&] { count = (int64)write_rows(delete_items, {table}); });
  PG_RETURN_INT64(count);
}
