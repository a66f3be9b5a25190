// Tables that take a vacant name. Its record waits for one of the owner whose columns are those
// that something is declared of: that table is attached, protected as the one before it was.
//
// All outside as_catalog_owner().
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Whether a record waits for a table of this name, in any schema; NULL: of any. Cheap where none
// is.
bool is_name_vacant(const char* name);
// Event trigger: what the command gave a vacant name is attached, or a WARNING says why not; the
// command never fails of it. schema: that the command gave this name; NULL: its own tables.
void attach_arrivals(const char* schema);
// The same of all vacant names, in an adopted database.
void attach_all();

// The record waits, and the table has its name. Raises where it does not suit.
void attach_table(int64 record, Oid relation);
// Why it would raise; NULL: it would not.
const char* why_unattached(int64 record, Oid relation);

}  // namespace dpmix::pg
