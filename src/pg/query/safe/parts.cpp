#include "pg/query/safe/parts.hpp"

#include <limits>

#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {

bool is_in_time(Oid type) {
  return type == DATEOID || type == TIMEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID ||
         type == INTERVALOID;
}

SafePart* parts_of(SafeCompiler* compiler, List* arguments) {
  SafePart* part = (SafePart*)palloc0(sizeof(SafePart) * list_length(arguments));
  for (int i = 0; i < list_length(arguments); i++) {
    part[i] = safe_part(compiler, (Node*)list_nth(arguments, i));
  }
  return part;
}

List* values_of(const SafePart* part, int count) {
  List* values = NIL;
  for (int i = 0; i < count; i++) values = lappend(values, part[i].value);
  return values;
}

SafePart plain_part(Expr* value) {
  SafePart part = {};
  part.value = value;
  part.characters = part.bytes = std::numeric_limits<double>::infinity();
  return part;
}

SafePart same_call(const SafeCall* call) {
  Node* made = (Node*)copyObjectImpl(call->node);
  for (int i = 0; i < call->count; i++) {
    if (call->part[i].recompiled) refuse_function(call->function);  // its type has changed
  }
  List* values = values_of(call->part, call->count);
  if (IsA(made, OpExpr)) {
    ((OpExpr*)made)->args = values;
  } else {
    castNode(FuncExpr, made)->args = values;
  }
  return plain_part((Expr*)made);
}

namespace {

constexpr const char* kOfTimes =
    "Times take extract, date_trunc, date_bin, to_char, age, casts and intervals, as in "
    "seen + interval '7 days'; their differences are intervals, extract(epoch FROM done - seen) "
    "is seconds. docs/guide/query_expressions.md lists all.";

}  // namespace

void refuse_operator(Oid op) {
  const char* name = get_opname(op);
  Oid left, right;
  op_input_types(op, &left, &right);
  const bool pattern = strchr(name, '~') != NULL && (right == TEXTOID || left == TEXTOID);
  refuse_construct(
      psprintf("the %soperator %s is", op >= FirstUnpinnedObjectId ? "user-defined " : "", name),
      pattern ? "Use LIKE, ILIKE, starts_with or strpos instead of regular expressions."
      : is_in_time(left) || is_in_time(right) ? kOfTimes
                                              : kExpressionList);
}

void refuse_function(Oid function) {
  const char* name = get_func_name(function);
  const char* shown = name != NULL ? name : "?";
  if (strncmp(shown, "dp_", 3) == 0 && is_dpmix_function(function)) {
    refuse_construct(psprintf("%s in an expression over rows is", shown),
                     "Released values stand in the select list, HAVING and ORDER BY.");
  }
  Oid* types;
  int count;
  bool time = is_in_time(get_func_signature(function, &types, &count));
  for (int i = 0; i < count; i++) time = time || is_in_time(types[i]);
  refuse_construct(psprintf("the %sfunction %s is",
                            function >= FirstUnpinnedObjectId ? "user-defined " : "", shown),
                   time ? kOfTimes : kExpressionList);
}

}  // namespace dpmix::pg
