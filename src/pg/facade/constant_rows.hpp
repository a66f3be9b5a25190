// Rows of constants, (VALUES ...) AS v(code, name), that private rows are joined with by one value:
// v.name is CASE WHEN x = 'a' THEN 'Anna' ... END, and an inner join the condition x IN ('a', ...).
#pragma once

#include "pg/facade/recognise.hpp"

namespace dpmix::pg {

// Takes such rows out of FROM of a query whose sub-selects were made part of it. PV002: a row could
// match several of them, or what it is matched by is not one equality.
void inline_constant_rows(Query* query);

}  // namespace dpmix::pg
