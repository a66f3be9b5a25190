// What dpmix's silent scans of this session did since they were last asked for: their plans, with
// how many workers started, and the exact rows that they handed over. For tests alone, in a
// throwaway server: it shows what dpmix hides.
#include "pg/border/postgres.hpp"

extern "C" {
#include "commands/explain.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif
#include "executor/executor.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(scan_plans);
PG_FUNCTION_INFO_V1(scan_rows);
PGDLLEXPORT void _PG_init(void);
}

static ExecutorRun_hook_type next_run;
static ExecutorEnd_hook_type next_end;
static StringInfoData plans;
static StringInfoData rows;

struct Listener {
  DestReceiver base;
  DestReceiver* real;
};

static bool listen(TupleTableSlot* slot, DestReceiver* self) {
  slot_getallattrs(slot);
  for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++) {
    Oid output;
    bool varlena;
    getTypeOutputInfo(TupleDescAttr(slot->tts_tupleDescriptor, i)->atttypid, &output, &varlena);
    appendStringInfo(&rows, "%s|",
                     slot->tts_isnull[i] ? "" : OidOutputFunctionCall(output, slot->tts_values[i]));
  }
  appendStringInfoChar(&rows, '\n');
  DestReceiver* real = ((Listener*)self)->real;
  return real->receiveSlot(slot, real);
}
static void begin(DestReceiver* self, int operation, TupleDesc type) {
  DestReceiver* real = ((Listener*)self)->real;
  real->rStartup(real, operation, type);
}
static void shut_down(DestReceiver* self) {
  DestReceiver* real = ((Listener*)self)->real;
  real->rShutdown(real);
}
static void destroy(DestReceiver*) {}

static bool is_scan(const QueryDesc* desc) {
  return strcmp(desc->sourceText, "dpmix statistics query") == 0;
}

static void go_on(QueryDesc* desc, ScanDirection direction, uint64 count, bool once) {
#if PG_VERSION_NUM >= 180000
  (void)once;
  if (next_run != NULL) return next_run(desc, direction, count);
  standard_ExecutorRun(desc, direction, count);
#else
  if (next_run != NULL) return next_run(desc, direction, count, once);
  standard_ExecutorRun(desc, direction, count, once);
#endif
}

#if PG_VERSION_NUM >= 180000
static void run(QueryDesc* desc, ScanDirection direction, uint64 count) {
  const bool once = true;
#else
static void run(QueryDesc* desc, ScanDirection direction, uint64 count, bool once) {
#endif
  if (!is_scan(desc)) return go_on(desc, direction, count, once);
  Listener listener = {{listen, begin, shut_down, destroy, DestNone}, desc->dest};
  desc->dest = &listener.base;
  go_on(desc, direction, count, once);
  desc->dest = listener.real;
}

static void end(QueryDesc* desc) {
  const bool ran = (desc->estate->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0;
  if (ran && is_scan(desc)) {
    ExplainState* state = NewExplainState();
    state->analyze = true;  // for Workers Launched
    state->timing = false;
    state->costs = false;
    ExplainPrintPlan(state, desc);
    appendStringInfo(&plans, "%s\n", state->str->data);
  }
  if (next_end != NULL) {
    next_end(desc);
  } else {
    standard_ExecutorEnd(desc);
  }
}

static Datum taken(StringInfo from) {
  text* all = cstring_to_text_with_len(from->data, from->len);
  resetStringInfo(from);
  return PointerGetDatum(all);
}

extern "C" {

void _PG_init(void) {
  MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
  initStringInfo(&plans);
  initStringInfo(&rows);
  MemoryContextSwitchTo(old);
  next_run = ExecutorRun_hook;
  ExecutorRun_hook = run;
  next_end = ExecutorEnd_hook;
  ExecutorEnd_hook = end;
}

Datum scan_plans(PG_FUNCTION_ARGS) {
  (void)fcinfo;
  return taken(&plans);
}

Datum scan_rows(PG_FUNCTION_ARGS) {
  (void)fcinfo;
  return taken(&rows);
}
}
