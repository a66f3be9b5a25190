// Tools look at a table before they ask: SELECT * FROM it LIMIT 1, head(), the columns of a virtual
// dataset. Of a facade made with rows => 'empty' they get its columns and no rows.
//
// Such a statement only picks columns. One with a condition asks whether rows meet it, and no rows
// would be a false answer: it stays refused, as is whatever counts, joins or keeps them. Readers
// who say that they look at columns alone (dpmix.rows = 'empty', for the role of a tool) get none,
// too.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Whether a query is a list over rows that come as they are: none chosen, made, kept or counted.
bool only_picks_columns(const Query* query);

// Makes such a statement, just analysed (client_statements.hpp), return no rows.
void empty_look(Query* query);

}  // namespace dpmix::pg
