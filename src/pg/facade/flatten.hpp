// Sub-selects and WITH queries that only choose and compute rows, as BI tools and dbt wrap around a
// table, become part of the query that aggregates them: what PostgreSQL's planner does with them,
// done before the query is checked.
#pragma once

#include "pg/facade/recognise.hpp"

namespace dpmix::pg {

// Whether a query does more than to choose rows of its tables, and to compute with each.
bool has_more_than_rows(const Query* query);
// Why it is no layer either; NULL: it may be one.
const char* obstacle_to_layer(const Query* query);

// Columns of joins by USING become those of their tables.
void flatten_columns(Query* query);

// Afterwards FROM has tables, facades, and what is no plain sub-select of them. PV002: a sub-select
// over a facade that has more than rows in it.
void flatten_rows(const QueryLevel* level);

}  // namespace dpmix::pg
