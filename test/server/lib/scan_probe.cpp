// How often this session has read a protected table through dpmix. Not to be seen through
// PostgreSQL 15, but pg_stat_io of later versions counts what each scan reads, for everyone to see.
// Built and installed by cda.test.sh in a throwaway server; no part of dpmix.
#include "pg/border/postgres.hpp"

extern "C" {
#include "executor/executor.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(scans);
PGDLLEXPORT void _PG_init(void);

static ExecutorEnd_hook_type next_end;
static int64 seen;

static void end(QueryDesc* desc) {
  const bool ran = (desc->estate->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0;
  if (ran && strcmp(desc->sourceText, "dpmix statistics query") == 0) ++seen;
  if (next_end != NULL) {
    next_end(desc);
  } else {
    standard_ExecutorEnd(desc);
  }
}

void _PG_init(void) {
  next_end = ExecutorEnd_hook;
  ExecutorEnd_hook = end;
}

Datum scans(PG_FUNCTION_ARGS) {
  PG_RETURN_INT64(seen);
}
}
