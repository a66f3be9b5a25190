// What dpmix's silent scans did since they were last asked for: their plans, with how many workers
// started, and the exact rows that they handed over; and how many there ever were. They run in
// processes of dpmix's own, so a server preloads this, and what it sees lies in files of the data
// folder. For tests alone, in a throwaway server: it shows what dpmix hides.
#include "pg/border/postgres.hpp"

#include <unistd.h>

extern "C" {
#include "access/parallel.h"
#include "commands/explain.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif
#include "executor/executor.h"
#include "lib/stringinfo.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(scan_plans);
PG_FUNCTION_INFO_V1(scan_rows);
PG_FUNCTION_INFO_V1(scans);
PGDLLEXPORT void _PG_init(void);
}

static ExecutorRun_hook_type next_run;
static ExecutorEnd_hook_type next_end;

constexpr const char *kPlans = "probe.plans", *kRows = "probe.rows", *kScans = "probe.scans";

static void put(const char* file, const char* text) {
  FILE* out = AllocateFile(file, "a");
  if (out == NULL) elog(ERROR, "no %s", file);
  fputs(text, out);
  FreeFile(out);
}

static StringInfoData all_of(const char* file) {
  StringInfoData text;
  initStringInfo(&text);
  FILE* in = AllocateFile(file, "r");
  if (in == NULL) return text;
  char piece[4096];
  for (size_t size; (size = fread(piece, 1, sizeof piece, in)) > 0;) {
    appendBinaryStringInfo(&text, piece, (int)size);
  }
  FreeFile(in);
  return text;
}

struct Listener {
  DestReceiver base;
  DestReceiver* real;
};

static bool listen(TupleTableSlot* slot, DestReceiver* self) {
  slot_getallattrs(slot);
  StringInfoData row;
  initStringInfo(&row);
  for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++) {
    Oid output;
    bool varlena;
    getTypeOutputInfo(TupleDescAttr(slot->tts_tupleDescriptor, i)->atttypid, &output, &varlena);
    appendStringInfo(&row, "%s|",
                     slot->tts_isnull[i] ? "" : OidOutputFunctionCall(output, slot->tts_values[i]));
  }
  appendStringInfoChar(&row, '\n');
  put(kRows, row.data);
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
  return !IsParallelWorker() && strcmp(desc->sourceText, "dpmix statistics query") == 0;
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
    appendStringInfoChar(state->str, '\n');
    put(kPlans, state->str->data);
    put(kScans, ".");
  }
  if (next_end != NULL) {
    next_end(desc);
  } else {
    standard_ExecutorEnd(desc);
  }
}

static Datum taken(const char* file) {
  const StringInfoData text = all_of(file);
  (void)unlink(file);
  return PointerGetDatum(cstring_to_text_with_len(text.data, text.len));
}

extern "C" {

void _PG_init(void) {
  next_run = ExecutorRun_hook;
  ExecutorRun_hook = run;
  next_end = ExecutorEnd_hook;
  ExecutorEnd_hook = end;
}

Datum scan_plans(PG_FUNCTION_ARGS) {
  (void)fcinfo;
  return taken(kPlans);
}

Datum scan_rows(PG_FUNCTION_ARGS) {
  (void)fcinfo;
  return taken(kRows);
}

Datum scans(PG_FUNCTION_ARGS) {
  (void)fcinfo;
  PG_RETURN_INT64(all_of(kScans).len);
}
}
