// width_bucket of a column, and steps (steps.hpp) above it, as a group key.
#pragma once

#include "pg/query/keys/column.hpp"

namespace dpmix::pg {

bool is_width_bucket(Oid function);
// call: below the steps of whole, over an operand that calls nobody's code.
void find_width_buckets(Expr* whole, FuncExpr* call, KeyColumn* key);

}  // namespace dpmix::pg
