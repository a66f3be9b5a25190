// The order of a layer's rows within a unit: what groups, sorts and tells rows apart.
//
// Whatever takes one of several rows takes the same one under every plan: rows that still tie are
// equal in all columns that are used of them.
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// The clauses without what is the same in all rows of a unit.
List* without_unit(const LayerQuery* level, const List* clauses);
// The clauses of targets that were made, by the types that values have now. Sorted, not hashed: a
// table of hashes keeps the size that one unit with many groups gave it.
List* sorted_clauses(const List* clauses, const List* targets);
// What a clause names an expression by, which is a target, or becomes one.
Index sorted_target(Query* made, const Node* expression);
// The clauses and, after them, others of these expressions, which become targets.
List* with_ties(Query* made, List* clauses, const List* expressions);

}  // namespace dpmix::pg
