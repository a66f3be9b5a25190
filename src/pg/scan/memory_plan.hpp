// Plans that read nothing but memory of the process: rows of privacy units that are held there.
//
// No page is read, no lock is taken and no file is made while one runs, whatever the rows are; so
// its nodes may sort, stop early or never run. What they look up when they first run is looked up
// before (open_plan.hpp). docs/proofs/people.md.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/plannodes.h"
}

namespace dpmix::pg {

bool reads_held_units(const PlannedStmt* plan);
// A node that is not on the list; NULL: there is none.
const char* unproved_in_memory(const PlannedStmt* plan);

// How many of its nodes hold rows, one after the other.
int nodes_holding_rows(const PlannedStmt* plan);

}  // namespace dpmix::pg
