// What chooses among values in row expressions: CASE, COALESCE, NULLIF, GREATEST, LEAST, and the
// label of an enum.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

SafePart case_part(SafeCompiler* compiler, const CaseExpr* node);
SafePart tested_part(const SafeCompiler* compiler, const CaseTestExpr* node);
SafePart nullif_part(SafeCompiler* compiler, const OpExpr* node);
SafePart coalesce_part(SafeCompiler* compiler, const CoalesceExpr* node);
// False: it casts anything but a column of an enum type to text.
bool label_part(SafeCompiler* compiler, const CoerceViaIO* node, SafePart* made);
SafePart extreme_part(SafeCompiler* compiler, const MinMaxExpr* node);

}  // namespace dpmix::pg
