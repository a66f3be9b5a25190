// Facts about columns, evaluated at values of these again and again.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// 1.0 and 1.00, 0 and -0, 'a' and 'a ' are one group each.
bool has_equal_forms(Oid type);

// Facts whose columns are all among these, each once; not those that tell equal values apart.
struct FactProbes;
FactProbes* facts_about(const List* facts, int columns, Var* const* column);
bool any_fact(const FactProbes* facts);
// missing: which of the columns are NULL, or NULL: none.
bool may_hold(FactProbes* facts, const Datum* value, const bool* missing);
void end_facts(FactProbes* facts);

}  // namespace dpmix::pg
