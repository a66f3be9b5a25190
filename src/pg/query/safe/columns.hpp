// Columns and constants of row expressions, and the bounds that the owner declared.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

// PV002 unless it is a live column of a table, of a type that calls nobody's code.
void check_column(const RowScope* scope, const Var* var);
bool is_operand_type(Oid type);  // of constants: arrays, too
SafePart column_part(SafeCompiler* compiler, Var* var);
SafePart constant_part(const Const* constant);

}  // namespace dpmix::pg
