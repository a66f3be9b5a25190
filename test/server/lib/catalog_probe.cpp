// How often this session ran a plan that names a relation: dpmix's own reads are counted nowhere
// else. Counts from the first call on. For tests alone.
#include "pg/border/postgres.hpp"

extern "C" {
#include "executor/executor.h"
#include "nodes/parsenodes.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(plans_over);
PGDLLEXPORT void _PG_init(void);
}

static ExecutorStart_hook_type next_start;
static Oid watched = InvalidOid;
static int64 plans = 0;

static void on_start(QueryDesc* query, int flags) {
  ListCell* cell;
  foreach (cell, query->plannedstmt->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind != RTE_RELATION || entry->relid != watched) continue;
    plans++;
    break;
  }
  if (next_start != NULL) {
    next_start(query, flags);
  } else {
    standard_ExecutorStart(query, flags);
  }
}

void _PG_init(void) {
  next_start = ExecutorStart_hook;
  ExecutorStart_hook = on_start;
}

Datum plans_over(PG_FUNCTION_ARGS) {
  if (watched != PG_GETARG_OID(0)) plans = 0;
  watched = PG_GETARG_OID(0);
  PG_RETURN_INT64(plans);
}
