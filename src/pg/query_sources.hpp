// The tables of a private query: opened as the caller, before anything else is judged.
#pragma once

#include "pg/query_shape.hpp"

namespace dpmix::pg {

// None, if there is none. PV006: a table that is not protected, or to which the caller has no
// access.
QuerySources* open_sources(const Query* query);

// PV002 unless FROM is one of those that may run over these tables.
void check_from(const RowScope* scope);

// The source of a column; PV002 for one of an outer query.
const QuerySource* source_of(const RowScope* scope, const Var* column);

// The column of the privacy unit of the first protected table, which has one.
Var* unit_column(const RowScope* scope);

// What the owner declared about a column; PV003 when it is missing.
ColumnDomain bounds_of(const RowScope* scope, const Var* column);
ColumnDomain categories_of(const RowScope* scope, const Var* column);

// The column as the caller wrote it, quoted.
const char* column_text(const RowScope* scope, const Var* column);

}  // namespace dpmix::pg
