// What may be made of released values: any function or operator of PostgreSQL's own whose result
// depends on its arguments alone, on own and enum types.
//
// Released values are private already, so this is post-processing, and errors of its values cost
// nothing but themselves (value_errors.hpp). Code of users is not let in: it would run after the
// charge, and could end the call. Nor is what PostgreSQL would refuse as it evaluates, whatever the
// values: the charge comes before.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// One node of an expression whose released values were taken out; PV002 unless it is on the list.
void check_released(Node* node);

// ORDER BY a value by an operator; PV002 unless PostgreSQL's own, under one collation.
void check_released_order(const SortGroupClause* clause, const Node* value);

}  // namespace dpmix::pg
