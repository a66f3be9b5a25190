// dpmix_internal.answer_of(key, keys, answers): what was answered for a key, out of a list of
// constants. Plain SQL writes it where a sub-select has an answer for each row of a public table.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

bool is_answer_of_key(const FuncExpr* call);
// PV002: the key is no column of whole numbers, or the lists are no constants.
SafePart answer_of_key(SafeCompiler* compiler, const FuncExpr* call);

}  // namespace dpmix::pg
