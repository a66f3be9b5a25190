// What a release is asked of: the table, or facade of it, that its argument `relation` names, or
// the rows that the view there, or the SELECT in its argument `source`, makes of tables, one person
// after the other.
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

// The table that open_protected_units() opens, or that table_of_text() makes. relation, source: the
// places of the arguments; PV005 unless exactly one is given.
ProtectedTable* asked_table(FunctionCallInfo fcinfo, int relation, int source);
const char* source_of(const ProtectedTable* table);  // the SELECT; NULL: it is a table

}  // namespace dpmix::pg
