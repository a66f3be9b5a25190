// The dp_* aggregates of a private query: from calls in the analysed text to what is asked.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// What a released value is asked by: a dp_* aggregate, or dp_low or dp_high of one. False for any
// other node. PV002: an aggregate that is not dpmix's, or something in it that may not stand there;
// PV005: a constant of it is out of range.
bool read_released_call(const Node* node, QueryAggregate* aggregate, ReleasedValue* value);
// dp_low or dp_high of an expression over aggregates, as analysed, which is returned; NULL: another
// node, or of an aggregate by itself. PV002: of an expression without any.
const Expr* read_interval_of_expression(const Node* node, ReleasedValue* value);
// Whether two calls of one aggregate have the same probability and edges.
bool same_numbers(const QueryAggregate& a, const QueryAggregate& b);

}  // namespace dpmix::pg
