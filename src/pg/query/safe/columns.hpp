// Columns and constants of row expressions, and the bounds that the owner declared.
#pragma once

#include "pg/catalog/domains.hpp"
#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

// PV002 unless it is a live column of a table, of a type that calls nobody's code.
void check_column(const RowScope* scope, const Var* var);
bool is_operand_type(Oid type);  // for constants: arrays, too
// A column with bounds as float8: NaN is their middle where the owner says so.
Expr* column_number(const ColumnDomain& domain, const Var* var);
// What column_number() took the NaNs from; NULL: it took none.
const Expr* with_nan(const Expr* number);
// What dp_count() counts of a column.
Expr* counted_column(const RowScope* scope, const Var* var);
// What its values lie between: its bounds, met with what facts say.
ValueInterval range_of(const RowScope* scope, const Var* var, const ColumnDomain& domain);
SafePart column_part(SafeCompiler* compiler, Var* var);
SafePart constant_part(const Const* constant);

// Whether a column is a public one that has infinite values, which no condition rules out.
bool is_unlimited(const RowScope* scope, const Var* var);

}  // namespace dpmix::pg
