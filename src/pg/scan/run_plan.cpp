#include "pg/scan/run_plan.hpp"

#include "pg/border/compat.hpp"
#include "pg/process/row_needs.hpp"

extern "C" {
#include "executor/executor.h"
#include "utils/snapmgr.h"
}

namespace dpmix::pg {

void run_plan(const PlanToRun& run, int flags) {
  PushCopiedSnapshot(GetActiveSnapshot());
  QueryDesc* desc = CreateQueryDesc(run.plan, run.source_text, GetActiveSnapshot(), InvalidSnapshot,
                                    run.receiver, run.parameters, run.environment, 0);
  ExecutorStart(desc, flags);
  if ((flags & EXEC_FLAG_EXPLAIN_ONLY) == 0) {
    have_memory_still();
    run_executor(desc);
    ExecutorFinish(desc);
  }
  ExecutorEnd(desc);
  FreeQueryDesc(desc);
  PopActiveSnapshot();
}

}  // namespace dpmix::pg
