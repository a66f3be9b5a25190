#include "pg/scan/plan_start.hpp"

#include "pg/process/release_plan.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/scan/open_plan.hpp"
#include "pg/scan/shared_rows.hpp"

extern "C" {
#include "executor/executor.h"
}

namespace dpmix::pg {
namespace {

constexpr void (*kBeforeRows[])(QueryDesc*) = {open_plan, map_shared_rows, have_memory_before_rows};

ExecutorStart_hook_type next_start = NULL;

void on_start(QueryDesc* desc, int flags) {
  (next_start != NULL ? next_start : standard_ExecutorStart)(desc, flags);
  if (!at_release_plan()) return;
  for (const auto before_rows : kBeforeRows) before_rows(desc);
}

}  // namespace

void plan_start_init() {
  next_start = ExecutorStart_hook;
  ExecutorStart_hook = on_start;
}

}  // namespace dpmix::pg
