// The one way in which a release reads a protected table: whole, row after row, with every value
// that is stored out of line fetched for every row.
//
// Enters: an analysed query. Leaves: the same query, in which each table with such values stands
// behind a subquery that fetches them all, whatever conditions above it admit: what is read from
// shared buffers then depends on the table and on the columns that the text names, never on which
// rows match. Tables that are held in memory (held_tables.hpp) stand behind nothing.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// The query is changed in place, its subqueries too.
void read_whole(Query* query);

}  // namespace dpmix::pg
