// dpmix.intervals: a SELECT over a facade that a client sent has the ends of its columns' intervals
// as columns of its own, after all others: people, people_low, people_high.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Adds the columns to such a statement, just analysed (client_statements.hpp).
void add_interval_columns(Query* query);

}  // namespace dpmix::pg
