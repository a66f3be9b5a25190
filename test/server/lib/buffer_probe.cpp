// How many buffers dpmix's own plans touched while they ran, in their processes and in parallel
// workers, since it was last asked: "processes workers", as text. Every page of a catalog that is
// looked at is among them, also one that nobody counts. Every start of such a plan finds that
// others' DDL has closed whatever was opened before, by the planner or for a plan around this one.
// For tests alone, in a throwaway server.
#include "pg/border/postgres.hpp"

#include <unistd.h>

extern "C" {
#include "access/parallel.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/inval.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(buffers_touched);
PGDLLEXPORT void _PG_init(void);
}

static ExecutorRun_hook_type next_run;
static ExecutorStart_hook_type next_start;

constexpr const char* kFiles[] = {"probe.process", "probe.worker"};

static int64 touched_so_far() {
  return pgBufferUsage.shared_blks_hit + pgBufferUsage.shared_blks_read +
         pgBufferUsage.local_blks_hit + pgBufferUsage.local_blks_read;
}

static void put(int64 before) {
  FILE* out = AllocateFile(kFiles[IsParallelWorker()], "a");
  if (out == NULL) elog(ERROR, "no file");
  fprintf(out, "%lld\n", (long long)(touched_so_far() - before));
  FreeFile(out);
}

static bool is_own(const QueryDesc* desc) {
  return strncmp(desc->sourceText, "dpmix ", 6) == 0;
}

static void start(QueryDesc* desc, int flags) {
  if (is_own(desc)) InvalidateSystemCaches();
  (next_start != NULL ? next_start : standard_ExecutorStart)(desc, flags);
}

#if PG_VERSION_NUM >= 180000
static void run(QueryDesc* desc, ScanDirection direction, uint64 count) {
  const int64 before = touched_so_far();
  (next_run != NULL ? next_run : standard_ExecutorRun)(desc, direction, count);
#else
static void run(QueryDesc* desc, ScanDirection direction, uint64 count, bool once) {
  const int64 before = touched_so_far();
  (next_run != NULL ? next_run : standard_ExecutorRun)(desc, direction, count, once);
#endif
  if (is_own(desc)) put(before);
}

static int64 taken(const char* file) {
  FILE* in = AllocateFile(file, "r");
  if (in == NULL) return 0;
  int64 sum = 0;
  for (long long n; fscanf(in, "%lld", &n) == 1;) sum += n;
  FreeFile(in);
  (void)unlink(file);
  return sum;
}

extern "C" {

void _PG_init(void) {
  next_run = ExecutorRun_hook;
  ExecutorRun_hook = run;
  next_start = ExecutorStart_hook;
  ExecutorStart_hook = start;
}

Datum buffers_touched(PG_FUNCTION_ARGS) {
  (void)fcinfo;
  const long long process = taken(kFiles[0]), worker = taken(kFiles[1]);
  PG_RETURN_TEXT_P(cstring_to_text(psprintf("%lld %lld", process, worker)));
}
}
