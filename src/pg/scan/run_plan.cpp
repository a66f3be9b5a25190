#include "pg/scan/run_plan.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/replay.hpp"

extern "C" {
#include "executor/executor.h"
#include "utils/snapmgr.h"
}

namespace dpmix::pg {
namespace {

const RunningPlan* running = NULL;

void run_started(QueryDesc* desc) {
  const RunningPlan now = {desc, running};
  running = &now;
  PG_TRY();
  {
    run_executor(desc);
    ExecutorFinish(desc);
  }
  PG_FINALLY();
  { running = now.outer; }
  PG_END_TRY();
}

}  // namespace

void run_plan(const PlanToRun& run, int flags) {
  PushCopiedSnapshot(GetActiveSnapshot());
  QueryDesc* desc =
      CreateQueryDesc(DPMIX_REPLAY_PLAN(run.plan), run.source_text, GetActiveSnapshot(),
                      InvalidSnapshot, run.receiver, run.parameters, run.environment, 0);
  ExecutorStart(desc, flags);
  if ((flags & EXEC_FLAG_EXPLAIN_ONLY) == 0) run_started(desc);
  ExecutorEnd(desc);
  FreeQueryDesc(desc);
  PopActiveSnapshot();
}

const RunningPlan* running_plan() {
  return running;
}

}  // namespace dpmix::pg
