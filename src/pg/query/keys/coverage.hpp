// Whether rows can have no public value of a key: told from declarations of types and columns.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

enum class Coverage {
  some,      // rows may have other values
  but_null,  // the public values are all that there are; a row may have none
  all,       // and every row has one
};
// The coverage of a key that is a column of booleans, or of an enum all of whose labels are public;
// `some` for any other key.
Coverage coverage_of(const RowScope* scope, const KeyColumn* key);

// Whether rows that count have none but public values in a column, or NULL: its type has no others,
// or facts rule them out.
bool has_no_others(const RowScope* scope, const Var* column);

// Conditions name values of a column, and public ones alone.
bool name_public_values(const RowScope* scope, const List* conditions, const Var* column);

// Whether rows that count can have a value of a key, not NULL, that is not public: beyond the
// bounds, or undeclared.
bool leaves_out_rows(const RowScope* scope, const KeyColumn* key);

// No row can lack a value: a plain column of the only table, declared NOT NULL for all that the
// table has below it, of a type without NaN or where NaN is the middle of the bounds.
bool never_missing(const RowScope* scope, const Expr* value);

}  // namespace dpmix::pg
