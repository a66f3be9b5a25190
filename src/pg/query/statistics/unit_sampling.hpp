// At most so many rows of each privacy unit, chosen at random inside the statistics query.
//
// Enters: a statistics query over all rows. Leaves: the same over a sample of them. Which rows of a
// unit are kept depends on the rows of that unit and on secret random bits alone, fresh in each
// run: not on the rows of others, nor on where rows lie (docs/proofs/query_units.md).
#pragma once

#include "core/query/contribution.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// query: plain columns of FROM, WHERE, group keys and aggregates, and nothing else; it is used up.
// unit: the column that says whose row it is; rows without one, or with a NULL key, are left out.
Query* sample_units(Query* query, Var* unit, const Contribution& most);

}  // namespace dpmix::pg
