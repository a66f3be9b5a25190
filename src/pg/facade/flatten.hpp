// Sub-selects and WITH queries that only choose and compute rows, as BI tools and dbt wrap around a
// table, become part of the query that aggregates them: what PostgreSQL's planner does with them,
// done before the query is checked.
#pragma once

#include "pg/facade/recognise.hpp"

namespace dpmix::pg {

// Why rows of a query are not simply rows of its tables; NULL: they are.
const char* obstacle_to_rows(const Query* query);

// Columns of joins by USING become those of their tables.
void flatten_columns(Query* query);

// Afterwards FROM has tables, facades, and what is no plain sub-select of them. PV002: a sub-select
// over a facade that has more than rows in it.
void flatten_rows(const QueryLevel* level);

}  // namespace dpmix::pg
