// A tool that draws a slider asks for the least and the greatest value of a column. Both are rows'
// own. SELECT min(x), max(x) FROM a facade, or a sub-select that only picks columns of one, and
// nothing besides, gets the declared bounds where its reader wants them: SET
// dpmix.bounds_for_min_max = on. They are public, so it costs nothing.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Puts declared bounds into such a statement, just analysed (client_statements.hpp).
void show_bounds(Query* query);

}  // namespace dpmix::pg
