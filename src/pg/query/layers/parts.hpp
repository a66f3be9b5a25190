// Aggregates and window functions over one person's rows, and sub-selects, in expressions of a
// layer: none of them can fail on a row, and what they give has bounds that follow from those of
// what they are given.
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// RowScope::more of a layer.
bool layer_part(SafeCompiler* compiler, Node* node, SafePart* made);
// The column of FROM whose values an expression has; NULL: it computes others.
const Var* same_values(const LayerQuery* level, const Node* expression);
bool is_count_of_rows(const Node* expression);  // or a row's number

}  // namespace dpmix::pg
