// Tables whose content is public, by their owner's word (dpmix.declare_public).
//
// A public table never shares rows with a table that is protected, or was and is charged: refused
// when it is declared, when a table is protected, and when one becomes part of another.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Whether the relation is declared public, with the relation locked. PV002 where what was declared
// may not be read as such any more: row-level security may show each reader other rows.
bool is_declared_public(Oid relation);

// The following run inside as_catalog_owner().

// A public table that shares rows with a protected one: its name, and the other's in *other; NULL:
// there is none.
const char* public_and_protected(const char** other);

// What event triggers and adopt_ledger() do to keep the declarations in step.
void rename_public_schema(const char* from, const char* to);
void rename_public_table(const char* from);  // the command's own table
void forget_public_tables();                 // those that the command dropped
void adopt_public_tables();                  // found by name, in a restored database

}  // namespace dpmix::pg
