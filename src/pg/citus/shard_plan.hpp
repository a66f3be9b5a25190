// What a statistics query over a table of Citus's may be planned to do.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
}

namespace dpmix::pg {

// Whether a query reads a table of Citus's; its subqueries count.
bool reads_distributed(const Query* query);
// PV002 if the plan calls a function of a user: Citus finds the aggregates that join results by
// name alone, in any schema.
void require_known_functions(const PlannedStmt* plan);

}  // namespace dpmix::pg
