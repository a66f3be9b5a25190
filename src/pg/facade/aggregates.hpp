// What PostgreSQL's aggregates mean over a protected table: their private versions, as values of
// the types that PostgreSQL's own have.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

bool is_interval_end(Oid function);  // low or high, with or without dp_
// Whether a node is that of something over aggregates of a query so many levels up.
bool is_interval_of_aggregates(const Node* node, int depth);

// An aggregate, or an end of an interval, as an expression over dp_* aggregates, of the same type.
// What is computed there is NULL where it has no value, and never raises. PV002: it has no private
// version; the hint says what to write.
Expr* private_value(const Expr* call);

}  // namespace dpmix::pg
