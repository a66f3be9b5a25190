// The queries within a query: what of a text is a layer, and what is asked of it.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Whether the text has more than tables that it joins, filters and aggregates: a query in FROM, in
// WITH or in an expression, one protected table twice, or one whose rows belong to units through
// another.
bool needs_layer(const Query* query);
bool has_queries(const Query* query);  // within

// Each reference to WITH reads a copy of its query, in place. PV002: WITH RECURSIVE, or one that
// changes data.
void inline_commons(Query* query);

// An aggregating query over FROM and WHERE becomes one over a query of rows (returned), whose
// columns are what it reads: in place. Conditions on these columns alone stand in both, for they
// narrow what is public.
Query* take_rows_out(Query* query);

}  // namespace dpmix::pg
