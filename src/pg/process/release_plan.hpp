// Whether this process is at a plan of dpmix's own: plans it, starts it or runs it, in silence.
//
// A setting says so, for PostgreSQL hands settings to parallel workers as they start. Nobody else
// can turn it on: not a superuser, not a file, not ALTER ROLE. At an error it goes off with the
// transaction.
#pragma once

#include "pg/border/settings.hpp"

namespace dpmix::pg {

void release_plan_init();  // called by _PG_init

bool at_release_plan();

// For a function that only trees of dpmix's own call: PV002 to everybody else, who could pass it
// what no tree does.
[[noreturn]] void refuse_direct_call(FunctionCallInfo fcinfo);
inline void require_release_plan(FunctionCallInfo fcinfo) {
  if (unlikely(!at_release_plan())) refuse_direct_call(fcinfo);
}

// Says so until the caller's nest level of settings ends (NewGUCNestLevel to AtEOXact_GUC).
void begin_release_plan();

}  // namespace dpmix::pg
