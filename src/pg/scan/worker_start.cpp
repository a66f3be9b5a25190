#include "pg/scan/worker_start.hpp"

#include "pg/border/postgres.hpp"
#include "pg/process/row_needs.hpp"

extern "C" {
#include "access/parallel.h"
#include "executor/executor.h"
}

namespace dpmix::pg {
namespace {

ExecutorStart_hook_type earlier = NULL;

void start(QueryDesc* query, int flags) {
  if (earlier != NULL) {
    earlier(query, flags);
  } else {
    standard_ExecutorStart(query, flags);
  }
  if (IsParallelWorker()) have_memory_in_worker();
}

}  // namespace

void worker_start_init() {
  earlier = ExecutorStart_hook;
  ExecutorStart_hook = start;
}

}  // namespace dpmix::pg
