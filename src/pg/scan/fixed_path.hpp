// How a release reads the tables of its query: on a path that is the same whatever their rows are.
//
// Enters: an analysed query. Leaves: a plan, and the tables that are held in memory for it. Their
// plans and this one are on the list of what is proved to be silent (proved_plan.hpp). Each
// protected table is read once, whole (base_layer.hpp). Of a join, public tables are held; and
// protected ones, too, unless there is one alone, and a plan that always reads it.
#pragma once

#include "pg/scan/held_tables.hpp"

extern "C" {
#include "nodes/plannodes.h"
}

namespace dpmix::pg {

struct FixedPath {
  PlannedStmt* plan;
  HeldTables* held;
};

// public_tables: oids; all others are protected. PV002 where no such plan is found; PV005 where it
// would hold more than dpmix.scan_memory. Reads no row.
FixedPath fixed_path(const Query* query, const List* public_tables, int cursor_options);

}  // namespace dpmix::pg
