// Rows of public tables, which say what groups by their columns there can be.
//
// A row of the query goes with one of a public table, or with none (of a LEFT JOIN), where its
// columns are NULL. So keys of these columns have the values that they have in rows of the public
// table, together, and only in those for which the facts about its columns alone are true. A key
// that a fact makes equal to such a column has its values, too. Read as the caller, before the
// charge.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// A column of a public table that a column is or is equal to in every row that counts, with
// the same values in the same form; NULL: there is none.
Var* public_column(const RowScope* scope, Var* column);

// The same, also of a column that layers hand on with the others of its row. NULL: there is none.
struct PublicColumn {
  const RowScope* scope;  // where it is one
  Var* column;
  bool missing;  // or NULL, with the others of its row
};
PublicColumn public_column_below(const RowScope* scope, Var* column);

// Whether facts are about columns of a public table alone, that of this column.
bool narrow_rows(const RowScope* scope, const Var* column);

// No row at all can satisfy facts about a public table that each row that counts goes with.
bool leave_no_public_row(const RowScope* scope);

// Calls visit with the values of columns of one public table in each combination that occurs.
// False: these are too many, and not all were visited.
bool visit_public_rows(const RowScope* scope, int columns, Var* const* column,
                       const RowReceiver& visit);

// The values of a column of a public table in rows that facts let through: each once, in order.
// PV005: more than groups can be.
int public_values_left(const RowScope* scope, Var* column, Datum** value);

// Leaves out values of a column that the rows of its public table, or of one that it is joined to,
// lack.
void narrow_to_public(const RowScope* scope, KeyColumn* key);

}  // namespace dpmix::pg
