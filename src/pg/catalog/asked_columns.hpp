// The columns of what a release is asked of: a protected table, or rows that are made of some
// (made_rows.hpp).
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

int asked_columns(const ProtectedTable* table);  // those that were dropped are among them
// InvalidAttrNumber: there is none of that name.
AttrNumber asked_column(const ProtectedTable* table, const char* name);
const char* asked_name(const ProtectedTable* table, AttrNumber column);  // NULL: it was dropped
// A column's type as it is read; in made rows, as it is computed.
Oid asked_type(const ProtectedTable* table, AttrNumber column);
bool is_asked_unit(const ProtectedTable* table, AttrNumber column);  // the privacy unit itself
// Whether the column's own rule, or that of its domain, forbids NULL. A NULL may have been there
// before.
bool is_never_null(const ProtectedTable* table, AttrNumber column);
bool is_never_null(Oid relation, AttrNumber column);

// What stands in FROM for it, in a text of dpmix's own: its name; or a sub-select of no row, in
// whose place the made rows are put (units/rows_of_units.hpp). Of those, too, by types of the text.
const char* asked_from(const ProtectedTable* table);
const char* asked_from_of_text(const ProtectedTable* table);

}  // namespace dpmix::pg
