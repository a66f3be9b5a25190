#include "pg/facade/denied_select.hpp"

#include "pg/border/compat.hpp"
#include "pg/catalog/relation.hpp"

extern "C" {
#include "access/parallel.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

ExecutorStart_hook_type next_start = NULL;

bool is_installed() {
  const Oid schema = get_namespace_oid("dpmix_internal", true);
  return OidIsValid(schema) && OidIsValid(get_relname_relid("described_table", schema));
}

// As the current user, to whom the function shows the tables that he has access to: others learn
// nothing. facade: NULL where there is none.
bool has_access(Oid relation, char** facade) {
  Oid type = OIDOID;
  Datum value = ObjectIdGetDatum(relation);
  const MemoryContext context = CurrentMemoryContext;
  SPI_connect();
  const int done = SPI_execute_with_args(
      "SELECT facade::pg_catalog.text FROM dpmix_internal.described_tables() "
      "WHERE relation::pg_catalog.oid OPERATOR(pg_catalog.=) $1",
      1, &type, &value, NULL, true, 1);
  const bool found = done == SPI_OK_SELECT && SPI_processed > 0;
  char* name = found ? SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1) : NULL;
  *facade = name != NULL ? MemoryContextStrdup(context, name) : NULL;
  SPI_finish();
  return found;
}

void hint_at_denied(const PlannedStmt* plan) {
  const Oid relation = denied_table(plan);
  char* facade;
  if (!OidIsValid(relation) || !is_installed() || !has_access(relation, &facade)) return;
  const char* name = qualified_name(relation);
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied for table %s", get_rel_name(relation)),
                  errdetail("Its rows are protected by dpmix."),
                  facade != NULL
                      ? errhint("Ask through %s, or by dpmix.query; dpmix.describe(%s) says what.",
                                facade, quote_literal_cstr(name))
                      : errhint("Ask by dpmix.query; dpmix.describe(%s) says what.",
                                quote_literal_cstr(name))));
}

void on_start(QueryDesc* desc, int flags) {
  if (!IsParallelWorker()) hint_at_denied(desc->plannedstmt);
  if (next_start != NULL) {
    next_start(desc, flags);
  } else {
    standard_ExecutorStart(desc, flags);
  }
}

}  // namespace

void denied_select_init() {
  next_start = ExecutorStart_hook;
  ExecutorStart_hook = on_start;
}

}  // namespace dpmix::pg
