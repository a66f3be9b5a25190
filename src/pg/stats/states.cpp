#include "pg/stats/states.hpp"

#include "pg/border/guard.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "utils/numeric.h"
}

namespace dpmix::pg {

Datum numeric_of(Int128 value) {
  if (value == static_cast<int64>(value)) {
    return NumericGetDatum(int64_to_numeric(static_cast<int64>(value)));
  }
  char digits[64];
  guard([&] { strlcpy(digits, to_string(value).c_str(), sizeof digits); });
  return DirectFunctionCall3(numeric_in, CStringGetDatum(digits), ObjectIdGetDatum(InvalidOid),
                             Int32GetDatum(-1));
}

ArrayType* numeric_array(Datum* values, int rows, int columns) {
  if (columns == 0) return construct_empty_array(NUMERICOID);
  int dims[] = {rows, columns}, lower_bounds[] = {1, 1};
  const int first = rows == 0 ? 1 : 0;
  return construct_md_array(values, nullptr, 2 - first, dims + first, lower_bounds, NUMERICOID, -1,
                            false, TYPALIGN_INT);
}

static bool is_external(const Node* node) {
  return IsA(node, Param) && reinterpret_cast<const Param*>(node)->paramkind == PARAM_EXTERN;
}

bool parameter_of_scan(FunctionCallInfo fcinfo, int argument) {
  const Node* call = fcinfo->flinfo->fn_expr;
  if (MyBackendType != B_BG_WORKER || call == nullptr || !IsA(call, FuncExpr)) return false;
  const List* args = reinterpret_cast<const FuncExpr*>(call)->args;
  return is_external(static_cast<const Node*>(list_nth(args, argument)));
}

bool constant_argument(FunctionCallInfo fcinfo, int argument) {
  const Node* call = fcinfo->flinfo->fn_expr;
  const Aggref* aggref = AggGetAggref(fcinfo);  // its arguments begin after the state
  if (aggref == nullptr && call != nullptr && IsA(call, FuncExpr)) {
    return IsA(list_nth(reinterpret_cast<const FuncExpr*>(call)->args, argument), Const);
  }
  if (aggref == nullptr || list_length(aggref->args) < argument) return false;
  const auto* target = static_cast<TargetEntry*>(list_nth(aggref->args, argument - 1));
  const Node* node = reinterpret_cast<const Node*>(target->expr);
  return IsA(node, Const) || is_external(node);
}

}  // namespace dpmix::pg
