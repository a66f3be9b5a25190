// Sub-selects in conditions and aggregates over private rows that read none themselves: each is one
// value, or one list, which PostgreSQL computes with the rights of who asks, before the question is
// put. They go along as parameters do.
#pragma once

#include "pg/facade/recognise.hpp"

namespace dpmix::pg {

// Whether a query has one that is no constant of it.
bool has_correlated_subselects(const Query* query);

// Conditions of a query, and what it aggregates, or all that it selects if it does not: afterwards
// their sub-selects refer to nothing around them. x IN (SELECT ...) is x = ANY (ARRAY(SELECT ...)),
// and EXISTS that compares one of its columns with the row's is such a list, too.
// PV002: one reads private rows, noisy results, or the rows around it.
void settle_subselects(const QueryLevel* level);

// What settle_subselects() left of one.
bool is_settled_subselect(const Node* node);

}  // namespace dpmix::pg
