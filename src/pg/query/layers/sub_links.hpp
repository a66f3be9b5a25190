// Sub-selects in expressions over one person's rows: EXISTS, IN, and those that have one value.
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// PV002: its rows are not those of the person around it, or it may have several values.
SafePart sub_link_part(SafeCompiler* compiler, const LayerQuery* level, const SubLink* link);

// The column of a sub-select with one value, which was compiled; NULL: it is none.
const LayerColumn* column_of_value(const LayerQuery* level, const Node* expression);

}  // namespace dpmix::pg
