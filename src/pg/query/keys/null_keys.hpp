// Whether NULL is a group of a key, as in PostgreSQL: told from the text, from what the owner
// declares NOT NULL, and of public tables from their rows.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// Whether rows that count can have NULL in a column.
bool may_be_null(const RowScope* scope, Var* column);

// A fact says that a column is NULL.
bool asks_for_null(const List* facts, const Var* column);
// Facts ask for NULL where there can be none: no row counts.
bool ask_for_null_in_vain(const RowScope* scope);

// Finds whether NULL is a value of a key whose values were not all looked at. Where a column must
// be NULL, the key has no other value.
void find_null(const RowScope* scope, const QueryKey* asked, KeyColumn* key);

}  // namespace dpmix::pg
