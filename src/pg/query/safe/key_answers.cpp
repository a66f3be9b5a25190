#include "pg/query/safe/key_answers.hpp"

#include <cmath>

#include "pg/query/safe/numbers.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
PG_FUNCTION_INFO_V1(dpmix_answer_of);
}

namespace dpmix::pg {
namespace {

// A column of whole numbers, cast to bigint where it is of another type.
const Node* column_of_key(const Node* key) {
  if (IsA(key, FuncExpr) && list_length(((const FuncExpr*)key)->args) == 1 &&
      ((const FuncExpr*)key)->funcformat != COERCE_EXPLICIT_CALL) {
    key = (const Node*)linitial(((const FuncExpr*)key)->args);
  }
  return IsA(key, Var) && is_integer(((const Var*)key)->vartype) ? key : NULL;
}

ValueInterval range_of(const Const* answers) {
  ValueInterval range = {0, 0, false};
  if (answers->constisnull) return range;
  const ArrayElements elements = array_elements((const Node*)answers);
  for (int i = 0; i < elements.count; i++) {
    const double value = elements.null[i] ? 0 : DatumGetFloat8(elements.value[i]);
    if (!std::isfinite(value)) continue;
    range.lower = std::fmin(range.lower, value);
    range.upper = std::fmax(range.upper, value);
  }
  return range;
}

}  // namespace

bool is_answer_of_key(const FuncExpr* call) {
  if (!is_dpmix_function(call->funcid)) return false;
  const char* name = get_func_name(call->funcid);
  return name != NULL && strcmp(name, "answer_of") == 0;
}

SafePart answer_of_key(SafeCompiler* compiler, const FuncExpr* call) {
  const Node* column = column_of_key((const Node*)linitial(call->args));
  const Node *keys = (const Node*)lsecond(call->args), *answers = (const Node*)lthird(call->args);
  if (column == NULL || !IsA(keys, Const) || !IsA(answers, Const)) refuse_function(call->funcid);
  SafeCompiler stored = *compiler;
  stored.columns = ColumnsAs::stored;
  const SafePart key = safe_part(&stored, (Node*)column);
  if (key.recompiled) refuse_function(call->funcid);
  FuncExpr* made = (FuncExpr*)copyObjectImpl(call);
  Node* given = (Node*)linitial(made->args);
  if (IsA(given, Var)) {
    linitial(made->args) = key.value;
  } else {
    castNode(FuncExpr, given)->args = list_make1(key.value);
  }
  return number_part((Expr*)made, range_of((const Const*)answers));
}

}  // namespace dpmix::pg

extern "C" {

// The keys are in order, each once, and none of them is NULL; there are as many answers. Never
// raises, looks nothing up and asks for no memory: it is called for each row.
Datum dpmix_answer_of(PG_FUNCTION_ARGS) {
  const int64 key = PG_GETARG_INT64(0);
  ArrayType* keys = PG_GETARG_ARRAYTYPE_P(1);
  ArrayType* answers = PG_GETARG_ARRAYTYPE_P(2);
  const bool fit = ARR_NDIM(keys) == 1 && ARR_NDIM(answers) == 1 && !ARR_HASNULL(keys) &&
                   !ARR_HASNULL(answers) && ARR_DIMS(keys)[0] == ARR_DIMS(answers)[0];
  if (!fit) PG_RETURN_NULL();
  const int64* place = (const int64*)ARR_DATA_PTR(keys);
  const auto* answer = (const double*)ARR_DATA_PTR(answers);
  int first = 0, end = ARR_DIMS(keys)[0];
  while (first < end) {
    const int middle = first + (end - first) / 2;
    if (place[middle] < key) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  if (first == ARR_DIMS(keys)[0] || place[first] != key || std::isnan(answer[first])) {
    PG_RETURN_NULL();
  }
  PG_RETURN_FLOAT8(answer[first]);
}
}
