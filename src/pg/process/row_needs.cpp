#include "pg/process/row_needs.hpp"

#include "pg/border/guard.hpp"
#include "pg/process/total_memory.hpp"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

extern "C" {
#include "access/parallel.h"
#include "optimizer/cost.h"
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

constexpr double kAlways = 2 << 20;   // contexts of rows, small states, what the executor opens
constexpr double kBetween = 4 << 20;  // from the charge to the first row: copies of the plan
constexpr double kMostKept = 512 << 20;
constexpr Size kPage = 4096;

bool in_process = false;
double each = 0, own = 0, more = 0;
double had = 0;            // bytes that this order had before a charge
bool to_have = false;      // whether to take memory before the next row
int needed_in_worker = 0;  // the setting

// Makes the allocator keep what is freed, for as long as the process lives.
void keep_what_is_freed() {
#ifdef __GLIBC__
  (void)mallopt(M_MMAP_MAX, 0);  // or large blocks would come from the kernel one by one
  (void)mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

bool have(double bytes) {
  static bool kept = false;
  if (!kept) keep_what_is_freed();
  kept = true;
  const Size size = (Size)bytes;
  volatile char* room = (volatile char*)malloc(size);
  if (room == NULL) return false;
  for (Size at = 0; at < size; at += kPage) room[at] = 0;
  free((void*)room);
  return true;
}

}  // namespace

void row_needs_init() {
  DefineCustomIntVariable(kWorkerNeeds, "Memory that rows may need in a parallel worker.", NULL,
                          &needed_in_worker, 0, 0, MAX_KILOBYTES, PGC_SUSET,
                          GUC_UNIT_KB | GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE | GUC_DISALLOW_IN_FILE,
                          NULL, NULL, NULL);
}

void begin_needs() {
  in_process = true;
  each = kAlways;
  own = more = had = 0;
  to_have = false;
}

void need_memory(double bytes) {
  if (in_process) each += bytes;
}

void need_own_memory(double bytes) {
  if (in_process) own += bytes;
}

void need_more_memory(double bytes) {
  if (!in_process) return;
  more = Max(more, bytes);
  to_have = true;
}

bool needs_are_large() {
  return each + more + own > kMostKept;
}

void have_memory() {
  if (!in_process) return;
  to_have = true;
  const double bytes = each + own;
  if (bytes <= had) return;
  take_of_total(each * (1 + max_parallel_workers_per_gather) + own);
  if (!have(bytes + kBetween)) {
    refuse(
        ErrorCode::ledger_unavailable, "the memory of this release cannot be had",
        psprintf("Rows may need %.0f kB of it in one process; nothing was charged.", bytes / 1024),
        "Try again when the server has memory to spare, or ask for less at once.");
  }
  had = bytes;
}

void have_memory_before_rows(QueryDesc*) {
  const bool leads = !IsParallelWorker();
  if (leads && !to_have) return;
  to_have = false;
  const double bytes = leads ? each + more + own : needed_in_worker * 1024.;
  if (!have(bytes)) elog(ERROR, "out of memory before the first row");
}

int worker_needs() {
  return (int)Min((each + more) / 1024, (double)MAX_KILOBYTES);
}

}  // namespace dpmix::pg
