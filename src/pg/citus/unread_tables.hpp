// Tables of Citus's in a statement that nothing reads: entries that are left where an answer took
// the place of FROM, so that rights to them are checked. Citus would take the statement for one
// that other nodes have to run.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
}

namespace dpmix::pg {

// Taken out of a statement before it is planned, at all of its levels.
List* take_unread_tables(Query* statement);
// Whether the statement reads a table of Citus's, at any level.
bool reads_tables_of_citus(Query* statement);
// Into its plan, which checks the rights as it starts.
void put_unread_tables(List* taken, PlannedStmt* plan);

}  // namespace dpmix::pg
