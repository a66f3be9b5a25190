// Runs a plan in the active snapshot, or only starts it.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "executor/execdesc.h"
#include "nodes/params.h"
#include "nodes/plannodes.h"
#include "tcop/dest.h"
#include "utils/queryenvironment.h"
}

namespace dpmix::pg {

struct PlanToRun {
  PlannedStmt* plan;
  const char* source_text;
  DestReceiver* receiver;
  ParamListInfo parameters = NULL;
  QueryEnvironment* environment = NULL;
};

// flags: EXEC_FLAG_EXPLAIN_ONLY starts and ends it; no row is read.
void run_plan(const PlanToRun& run, int flags);

// What this process runs: the innermost plan, and those that wait for its end.
struct RunningPlan {
  QueryDesc* desc;
  const RunningPlan* outer;
};
const RunningPlan* running_plan();

}  // namespace dpmix::pg
