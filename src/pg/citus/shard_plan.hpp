// What a statistics query over a table of Citus's may be planned to do.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
}

namespace dpmix::pg {

// Whether a query reads a table of Citus's; its subqueries count.
bool reads_distributed(const Query* query);
void shard_plan_init();  // called by _PG_init

// A plan of a query over protected tables of Citus's, each shard of which is asked once. PV002 if
// Citus would bring rows here for one part of the query to be read by another, and keep them on
// disk; and where a shard lies on this node.
PlannedStmt* plan_on_shards(Query* query, const char* text, int options, ParamListInfo parameters);
// PV002 if the plan calls a function of a user: Citus finds the aggregates that join results by
// name alone, in any schema.
void require_known_functions(const PlannedStmt* plan);

}  // namespace dpmix::pg
