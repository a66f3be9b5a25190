// A join of rows with results that have each value of a group key at most once, as BI tools ask for
// the groups with the largest totals. It only chooses among the groups, so it becomes a condition
// on them.
#pragma once

#include "pg/facade/calls.hpp"
#include "pg/facade/recognise.hpp"

namespace dpmix::pg {

// Takes such joins out of FROM of a flattened query. A condition on its groups: the keys of each
// join IN (SELECT ...); NULL: there is none.
Node* take_memberships(const QueryLevel* level, const StatementAnswers* answers, const List* keys);

}  // namespace dpmix::pg
