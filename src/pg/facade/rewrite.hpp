// Plain SQL over facades: in the planner, each query that aggregates rows of facades becomes one
// that reads an answer of dpmix (docs/proofs/plain_sql.md). Nothing is charged there.
#pragma once

#include "pg/facade/calls.hpp"

namespace dpmix::pg {

// Called by _PG_init.
void plain_rewrite_init();

// Puts answers into a statement. PV002: something over a facade cannot be answered.
StatementAnswers rewrite_statement(Query* statement);

}  // namespace dpmix::pg
