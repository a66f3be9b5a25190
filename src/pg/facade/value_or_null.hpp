// What is computed from an answer's columns and has no value is NULL, as in dpmix.query: PostgreSQL
// would raise, after the charge.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/nodes.h"
}

namespace dpmix::pg {

// A target list, or a condition, in which the largest parts that can fail over columns of its query
// became calls of dpmix_internal.value_or_null. Window functions, sub-selects and set-returning
// functions themselves stay the query's. What fails already as it is planned, or may not be called,
// raises here.
Node* with_values_or_nulls(Node* node);
// Whether a statement computes something so: no other node can be sent it as text.
bool has_values_or_nulls(Node* node);

}  // namespace dpmix::pg
