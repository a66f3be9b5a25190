// Whether this server has the rows of all tables that a query reads.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Call before the planner, which asks a foreign table's wrapper. PV002: a table may have got a
// foreign child since it was opened.
void require_stored(const Query* query);

}  // namespace dpmix::pg
