// What PostgreSQL's aggregates mean over a protected table: their private versions, as values of
// the types that PostgreSQL's own have.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

bool is_interval_end(Oid function);  // dp_low or dp_high
// Whether a node is dp_low or dp_high of an aggregate; then which.
bool is_interval_of_aggregate(const Node* node, Aggref** aggregate);

// Of an aggregate, or dp_low or dp_high of one: an expression over dp_* aggregates, of the same
// type. What is computed there is NULL where it has no value, and never raises. PV002: it has no
// private version; the hint says what to write.
Expr* private_value(const Expr* call);

}  // namespace dpmix::pg
