#include "pg/border/statement.hpp"

extern "C" {
#include "access/xact.h"
#include "utils/snapmgr.h"
}

namespace dpmix::pg {
namespace {

uint64 run(Statement& statement, const Datum* values, const char* nulls, bool read_only) {
  if (statement.plan == NULL) {
    SPIPlanPtr plan = SPI_prepare(statement.sql, statement.arguments, statement.types);
    if (plan == NULL) elog(ERROR, "could not prepare \"%s\": %d", statement.sql, SPI_result);
    SPI_keepplan(plan);
    statement.plan = plan;
  }
  // Beside parallel workers the newest snapshot is only to be had as those of catalog scans are.
  Snapshot newest =
      RegisterSnapshot(IsInParallelMode() ? GetCatalogSnapshot(InvalidOid) : GetLatestSnapshot());
  int result = SPI_execute_snapshot(statement.plan, const_cast<Datum*>(values), nulls, newest,
                                    InvalidSnapshot, read_only, true, 0);
  UnregisterSnapshot(newest);
  if (result < 0) elog(ERROR, "could not run \"%s\": %d", statement.sql, result);
  return SPI_processed;
}

}  // namespace

uint64 read_rows(Statement& statement, const Datum* values, const char* nulls) {
  return run(statement, values, nulls, true);
}

uint64 write_rows(Statement& statement, const Datum* values, const char* nulls) {
  return run(statement, values, nulls, false);
}

Datum name_datum(const char* text) {
  return DirectFunctionCall1(namein, CStringGetDatum(text));
}

Datum result_datum(uint64 row, int column, bool* null) {
  return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, null);
}

char* result_text(uint64 row, int column) {
  char* text = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);
  if (text == NULL) return NULL;
  char* copy = (char*)SPI_palloc(strlen(text) + 1);
  strcpy(copy, text);
  pfree(text);
  return copy;
}

}  // namespace dpmix::pg
