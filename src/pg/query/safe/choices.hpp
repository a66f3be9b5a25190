// What chooses among values in row expressions: CASE, COALESCE, NULLIF, GREATEST, LEAST.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

SafePart case_part(SafeCompiler* compiler, const CaseExpr* node);
SafePart tested_part(const SafeCompiler* compiler, const CaseTestExpr* node);
SafePart nullif_part(SafeCompiler* compiler, const OpExpr* node);
SafePart coalesce_part(SafeCompiler* compiler, const CoalesceExpr* node);
SafePart extreme_part(SafeCompiler* compiler, const MinMaxExpr* node);

}  // namespace dpmix::pg
