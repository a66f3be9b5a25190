// Queries over tables of Citus's as they have to be written, so that the text of them that other
// nodes get means the same there.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Not yet joined with what it is made of: queries within FROM are left as they are, those within
// expressions are written, too. PV002 for what depends on the settings of a session, which stay
// here.
void write_for_shards(Query* query);

}  // namespace dpmix::pg
