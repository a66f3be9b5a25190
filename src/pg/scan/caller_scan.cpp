#include "pg/scan/caller_scan.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/run_as.hpp"
#include "pg/border/statement.hpp"

extern "C" {
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {

void query_synthetic(const char* targets, Oid synthetic, RowReceiver receive) {
  const char *schema = get_namespace_name(get_rel_namespace(synthetic)),
             *name = get_rel_name(synthetic);
  if (schema == NULL || name == NULL) {  // nothing was locked so far
    refuse(ERRCODE_UNDEFINED_TABLE, "the synthetic table is gone",
           psprintf("Its oid was %u.", synthetic), "Name one that is there.");
  }
  const char* sql =
      psprintf("SELECT %s FROM %s AS r", targets, quote_qualified_identifier(schema, name));
  run_as(GetUserId(), false, [&] {
    SPI_connect();
    run_text(sql, SPI_OK_SELECT);
    if (SPI_processed != 1) elog(ERROR, "no statistics: %s", sql);
    const TupleDesc desc = SPI_tuptable->tupdesc;
    Datum* values = (Datum*)palloc(desc->natts * sizeof(Datum));
    bool* nulls = (bool*)palloc(desc->natts * sizeof(bool));
    heap_deform_tuple(SPI_tuptable->vals[0], desc, values, nulls);
    for (int i = 0; i < desc->natts; i++) {
      if (nulls[i]) elog(ERROR, "a statistic is NULL");
    }
    receive(values, nulls);
    SPI_finish();
  });
}

const bool* columns_with_values(Oid synthetic, const char* const* names, int count) {
  bool* has_value = (bool*)palloc(Max(count, 1) * sizeof(bool));
  if (count == 0) return has_value;
  StringInfoData targets;
  initStringInfo(&targets);
  appendStringInfoString(&targets, "pg_catalog.count(*)");
  for (int i = 0; i < count; i++) {
    appendStringInfo(&targets, ", pg_catalog.count(r.%s)", quote_identifier(names[i]));
  }
  query_synthetic(targets.data, synthetic, [&](const Datum* values, const bool*) {
    const bool rows = DatumGetInt64(values[0]) > 0;
    for (int i = 0; i < count; i++) has_value[i] = !rows || DatumGetInt64(values[i + 1]) > 0;
  });
  return has_value;
}

}  // namespace dpmix::pg
