// width_bucket of a column, and steps (steps.hpp) above it, as a group key.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

bool is_width_bucket(Oid function);
// call: below the steps of whole, over a column under casts. Facts about the column leave out
// buckets; its bounds do not, for those below and above the edges are for what lies beyond.
void find_width_buckets(const RowScope* scope, Expr* whole, FuncExpr* call, Var* column,
                        KeyColumn* key);

}  // namespace dpmix::pg
