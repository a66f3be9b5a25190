// The tables of a private query: opened as the caller, before anything else is judged.
#pragma once

#include "pg/catalog/domains.hpp"
#include "pg/query/read/layer.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// None, if there is none. PV006: a table that is neither protected, with access of the caller, nor
// declared public and readable for the caller.
QuerySources* open_sources(const Query* query);

// Whether the tables belong to several owners: then no code of any of them may run.
bool have_several_owners(const QuerySources* sources);
List* public_tables(const QuerySources* sources);  // oids
// The protected tables, in the order of FROM; their number.
int protected_tables(const QuerySources* sources, const ProtectedTable*** tables);
// Whether a public table belongs to somebody who owns no protected one of the query.
bool has_public_table_of_others(const QuerySources* sources);

// The scope of a column, which may be one of a query around; PV002 where there is none.
const RowScope* scope_of(const RowScope* scope, const Var* column);
const QuerySource* source_of(const RowScope* scope, const Var* column);
// What the column of a layer is; NULL: it is a column of a table.
const LayerColumn* layer_column(const RowScope* scope, const Var* column);
// The tables whose rows a source is made of: itself, or those of a layer.
List* relations_of(const QuerySource* source);                             // oids
int tables_of(const QuerySource* source, const ProtectedTable*** tables);  // protected ones
// What a number of a table is of these together: of rows (scan/table_size.hpp), or bytes.
double measure_of(const QuerySource* source, double (*measure)(Oid relation));
// What was declared of a column, or follows of what a layer makes of it; empty of a public table.
ColumnDomain domain_of(const RowScope* scope, const Var* column);
// The column is the privacy unit of its source.
bool is_unit_column(const QuerySource* source, AttrNumber column);

// The column of the privacy unit of the first protected table, which has one.
Var* unit_column(const RowScope* scope);

// What the owner declared about a column, PV003 when it is missing; of a public table what its rows
// say, read as the caller.
ColumnDomain bounds_of(const RowScope* scope, const Var* column);
ColumnDomain categories_of(const RowScope* scope, const Var* column);

// The column as the caller wrote it, quoted.
const char* column_text(const RowScope* scope, const Var* column);

// The categories of a column's domain as values of its type.
Datum* category_values(const ColumnDomain& domain, const Var* column);

}  // namespace dpmix::pg
