#include "pg/border/io_counts.hpp"

extern "C" {
#include "access/parallel.h"
#include "storage/ipc.h"
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

bool uncounted = false;  // the setting: it is what reaches parallel workers

IoCounts before = {};
int depth = 0;  // how many begin_uncounted() are open, one within another
bool between = false;
bool watches_exit = false;

// Called before PostgreSQL publishes what is left: exit callbacks run in reverse order.
void on_exit(int, Datum) {
  if (between) forget_io_counts(&before);
}

void watch_exit() {
  if (!watches_exit) before_shmem_exit(on_exit, (Datum)0);
  watches_exit = true;
}

// A parallel worker takes over the leader's settings as it starts, and works for this scan alone.
void on_assign(bool on, void*) {
  if (!on || !IsParallelWorker()) return;
  between = true;
  watch_exit();
}

}  // namespace

void io_counts_init() {
  DefineCustomBoolVariable(kUncounted, "On while a statistics query runs.", NULL, &uncounted, false,
                           PGC_SUSET, GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE | GUC_DISALLOW_IN_FILE,
                           NULL, on_assign, NULL);
}

void begin_uncounted(IoCounts* saved) {
  if (depth > 0) {
    depth++;
    return;
  }
  watch_exit();
  publish_io_counts(saved);
  before = *saved;
  between = true;
  depth = 1;  // last: what is above may raise
}

void end_uncounted(const IoCounts* saved) {
  if (--depth > 0) return;
  between = false;
  forget_io_counts(saved);
}

}  // namespace dpmix::pg
