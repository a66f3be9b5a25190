#include "pg/query/safe/comparisons.hpp"

#include "pg/query/safe/numbers.hpp"
#include "pg/query/safe/texts.hpp"
#include "pg/query/safe/times.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// The operators of float8.
struct FloatComparison {
  const char* name;
  Oid op, function;
};
constexpr FloatComparison kFloatComparisons[] = {
    {"=", 670, F_FLOAT8EQ}, {"<>", kFloat8Differs, F_FLOAT8NE},
    {"<", 672, F_FLOAT8LT}, {"<=", 673, F_FLOAT8LE},
    {">", 674, F_FLOAT8GT}, {">=", 675, F_FLOAT8GE},
};

const FloatComparison* float_comparison(Oid op) {
  const char* name = get_opname(op);
  for (const FloatComparison& known : kFloatComparisons) {
    if (strcmp(known.name, name) == 0) return &known;
  }
  elog(ERROR, "operator %u compares no numbers", op);
}

void check_operator(Oid op, Oid function, Oid collation) {
  if (op < FirstUnpinnedObjectId && is_total_comparison(function, collation)) return;
  if (op < FirstUnpinnedObjectId && is_total_comparison(function, C_COLLATION_OID)) {
    refuse_construct("comparing text under a user-defined collation is",
                     "Add COLLATE \"C\", or another collation of pg_catalog.");
  }
  refuse_operator(op);
}

// An array of numbers as float8[]. NULL elements stay.
Const* float_array(const Const* array) {
  const ArrayElements from = array_elements((const Node*)array);
  for (int i = 0; i < from.count; i++) {
    if (from.null[i]) continue;
    const Const* element = constant(from.type, InvalidOid, from.value[i]);
    from.value[i] = Float8GetDatum(float8_of(element));
  }
  int dimensions[] = {from.count}, bounds[] = {1};
  ArrayType* made = construct_md_array(from.value, from.null, 1, dimensions, bounds, FLOAT8OID,
                                       sizeof(float8), true, TYPALIGN_DOUBLE);
  return constant(FLOAT8ARRAYOID, InvalidOid, PointerGetDatum(made));
}

constexpr const char* kNames[] = {"=", "<>", "<", "<=", ">", ">="};

bool is_comparison(const char* name) {
  for (const char* known : kNames) {
    if (strcmp(known, name) == 0) return true;
  }
  return false;
}

Oid own_operator(const char* name, Oid left, Oid right) {
  List* own = list_make2(makeString(pstrdup("pg_catalog")), makeString(pstrdup(name)));
  return OpernameGetOprid(own, left, right);
}

const Const* constant_array(Node* array) {
  if (IsA(array, RelabelType)) array = (Node*)((RelabelType*)array)->arg;
  if (IsA(array, Const)) return (const Const*)array;
  refuse_construct("an array that is not constant is",
                   "Write the values as constants, or pass them as $1.");
}

}  // namespace

SafePart safe_comparison(SafeCompiler* compiler, OpExpr* node) {
  set_opfuncid(node);
  if (list_length(node->args) != 2) refuse_operator(node->opno);
  check_operator(node->opno, node->opfuncid, node->inputcollid);
  SafePart left = safe_part(compiler, (Node*)linitial(node->args));
  SafePart right = safe_part(compiler, (Node*)lsecond(node->args));
  compare_texts(compiler->scope, node->opfuncid, &left, &right);
  OpExpr* made = (OpExpr*)copyObjectImpl(node);
  made->args = list_make2(left.value, right.value);
  if (left.recompiled || right.recompiled) {
    const FloatComparison* floats = float_comparison(node->opno);
    made->opno = floats->op;
    made->opfuncid = floats->function;
    made->args = list_make2(number_of(&left), number_of(&right));
  }
  return plain_part((Expr*)made);
}

OpExpr* in_local_time(OpExpr* node) {
  if (list_length(node->args) != 2) return node;
  const char* name = get_opname(node->opno);
  const bool compares = is_comparison(name);
  Oid types[2];
  op_input_types(node->opno, &types[0], &types[1]);
  for (int i = 0; compares && i < 2; i++) {
    const Oid other = types[1 - i];
    const Node* moment = (const Node*)list_nth(node->args, i);
    if (types[i] != TIMESTAMPTZOID || (other != DATEOID && other != TIMESTAMPOID) ||
        !IsA(moment, Const)) {
      continue;
    }
    OpExpr* made = (OpExpr*)copyObjectImpl(node);
    Expr* local =
        call_builtin(F_TIMESTAMP_TIMESTAMPTZ, TIMESTAMPOID, list_make1(copyObjectImpl(moment)));
    lfirst(list_nth_cell(made->args, i)) = evaluate_expr(local, TIMESTAMPOID, -1, InvalidOid);
    types[i] = TIMESTAMPOID;
    made->opno = own_operator(name, types[0], types[1]);
    made->opfuncid = get_opcode(made->opno);
    return made;
  }
  return node;
}

bool looks_at_zone(const OpExpr* node) {
  if (node->opno >= FirstUnpinnedObjectId || list_length(node->args) != 2) return false;
  Oid left, right;
  op_input_types(node->opno, &left, &right);
  const auto is_local = [](Oid type) { return type == DATEOID || type == TIMESTAMPOID; };
  return is_comparison(get_opname(node->opno)) && ((left == TIMESTAMPTZOID && is_local(right)) ||
                                                   (is_local(left) && right == TIMESTAMPTZOID));
}

SafePart zoned_comparison(SafeCompiler* compiler, const OpExpr* node) {
  List* sides = NIL;
  ListCell* cell;
  foreach (cell, node->args) {
    Expr* side = in_session_zone(safe_part(compiler, (Node*)lfirst(cell)).value);
    const bool fixed = !contain_var_clause((Node*)side);
    sides = lappend(sides, fixed ? evaluate_expr(side, TIMESTAMPTZOID, -1, InvalidOid) : side);
  }
  const Oid op = own_operator(get_opname(node->opno), TIMESTAMPTZOID, TIMESTAMPTZOID);
  return plain_part(comparison(op, (Expr*)linitial(sides), (Expr*)lsecond(sides)));
}

SafePart safe_array_comparison(SafeCompiler* compiler, ScalarArrayOpExpr* node) {
  set_sa_opfuncid(node);
  check_operator(node->opno, node->opfuncid, node->inputcollid);
  Node* array = (Node*)lsecond(node->args);
  const Const* values = constant_array(array);
  SafePart left = safe_part(compiler, (Node*)linitial(node->args));
  compare_with_texts(compiler->scope, node->opfuncid, &left, values);
  ScalarArrayOpExpr* made = (ScalarArrayOpExpr*)copyObjectImpl(node);
  made->args = list_make2(left.value, copyObjectImpl(array));
  if (left.recompiled) {
    const FloatComparison* floats = float_comparison(node->opno);
    made->opno = floats->op;
    made->opfuncid = floats->function;
    lsecond(made->args) =
        values->constisnull ? makeNullConst(FLOAT8ARRAYOID, -1, InvalidOid) : float_array(values);
  }
  return plain_part((Expr*)made);
}

bool has_total_order(Oid type, Oid collation) {
  if (!is_key_type(type) && type != INTERVALOID) return false;
  return !OidIsValid(get_typcollation(type)) || is_total_comparison(F_TEXT_LT, collation);
}

}  // namespace dpmix::pg
