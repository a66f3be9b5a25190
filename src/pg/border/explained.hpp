// What EXPLAIN shows after a plan.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "commands/explain.h"
#include "nodes/pg_list.h"
}

namespace dpmix::pg {

void explain_lines(const char* label, List* lines, ExplainState* state);

}  // namespace dpmix::pg
