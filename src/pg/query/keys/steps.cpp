#include "pg/query/keys/steps.hpp"

#include <utility>

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
}

#include "pg/border/compat.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

// clang-format off
constexpr Oid kOfOne[] = {
    // casts among numbers, and rounding
    F_INT2_NUMERIC, F_INT4_NUMERIC, F_INT8_NUMERIC, F_FLOAT8_NUMERIC, F_INT2_FLOAT8, F_INT4_FLOAT8,
    F_INT8_FLOAT8, F_NUMERIC_FLOAT8, F_INT8_INT4, F_INT4_INT8, F_NUMERIC_INT4, F_NUMERIC_INT8,
    F_FLOAT8_INT4, F_FLOAT8_INT8,
    F_TRUNC_NUMERIC, F_FLOOR_NUMERIC, F_CEIL_NUMERIC, F_CEILING_NUMERIC, F_ROUND_NUMERIC,
    F_TRUNC_FLOAT8, F_FLOOR_FLOAT8, F_CEIL_FLOAT8, F_CEILING_FLOAT8, F_ROUND_FLOAT8,
    // casts in time, and from seconds
    F_DATE_TIMESTAMP, F_DATE_TIMESTAMPTZ, F_TIMESTAMP_DATE, F_TIMESTAMPTZ_DATE,
    F_TIMESTAMP_TIMESTAMPTZ, F_TIMESTAMPTZ_TIMESTAMP, F_TO_TIMESTAMP_FLOAT8,
};
constexpr Oid kSums[] = {
    F_INT4PL, F_INT8PL, F_INT84PL, F_INT48PL, F_NUMERIC_ADD, F_FLOAT8PL,
    F_DATE_PLI, F_DATE_PL_INTERVAL, F_TIMESTAMP_PL_INTERVAL, F_TIMESTAMPTZ_PL_INTERVAL,
};
constexpr Oid kDifferences[] = {
    F_INT4MI, F_INT8MI, F_INT84MI, F_NUMERIC_SUB, F_FLOAT8MI,
    F_DATE_MII, F_DATE_MI_INTERVAL, F_TIMESTAMP_MI_INTERVAL, F_TIMESTAMPTZ_MI_INTERVAL,
};
constexpr Oid kProducts[] = {
    F_INT4MUL, F_INT8MUL, F_INT84MUL, F_INT48MUL, F_NUMERIC_MUL, F_FLOAT8MUL,
};
constexpr Oid kQuotients[] = {
    F_INT4DIV, F_INT8DIV, F_INT84DIV, F_NUMERIC_DIV, F_FLOAT8DIV,
};
// clang-format on

template <size_t N>
bool is_one_of(const Oid (&list)[N], Oid function) {
  for (const Oid one : list) {
    if (one == function) return true;
  }
  return false;
}

// Months are of several lengths: the 30th and the 31st of January are one day of February later on.
bool keeps_order(const Node* moved_by) {
  return exprType(moved_by) != INTERVALOID ||
         DatumGetIntervalP(constant_value(moved_by))->month == 0;
}

// What a step is computed of; NULL: it is none.
Node* operand_of(Oid function, const List* arguments, bool* rises) {
  if (list_length(arguments) == 1) {
    return is_one_of(kOfOne, function) ? (Node*)linitial(arguments) : NULL;
  }
  if (list_length(arguments) != 2) return NULL;
  Node* left = (Node*)linitial(arguments);
  Node* right = (Node*)lsecond(arguments);
  const bool sum = is_one_of(kSums, function), product = is_one_of(kProducts, function);
  if ((sum || product) && is_constant(left)) std::swap(left, right);
  if (!is_constant(right)) return NULL;
  if (sum || is_one_of(kDifferences, function)) {
    *rises = *rises && keeps_order(right);
  } else if (product || is_one_of(kQuotients, function)) {
    *rises = *rises && float8_of((const Const*)right) > 0;
  } else {
    return NULL;
  }
  return left;
}

struct Replacement {
  const Expr* part;
  const Var* column;
};

Node* replace_part(Node* node, void* arg) {
  const Replacement* with = (const Replacement*)arg;
  if (node == NULL) return NULL;
  if (equal(node, with->part)) return (Node*)copyObjectImpl(with->column);
  return mutate_expression(node, replace_part, arg);
}

}  // namespace

bool is_cast_to_day(Oid function) {
  return function == F_DATE_TIMESTAMP || function == F_DATE_TIMESTAMPTZ;
}

Node* below_step(Node* node, bool* rises) {
  switch (nodeTag(node)) {
    case T_RelabelType:
      return (Node*)((RelabelType*)node)->arg;
    case T_OpExpr:
      return operand_of(get_opcode(((OpExpr*)node)->opno), ((OpExpr*)node)->args, rises);
    case T_FuncExpr:
      return operand_of(((FuncExpr*)node)->funcid, ((FuncExpr*)node)->args, rises);
    default:
      return NULL;
  }
}

FuncExpr* below_steps(Node* expression, bool to_day, bool* rises) {
  *rises = true;
  Node* node = expression;
  while (true) {
    if (to_day && IsA(node, FuncExpr) && is_cast_to_day(((FuncExpr*)node)->funcid)) break;
    Node* below = below_step(node, rises);
    if (below == NULL) break;
    node = below;
  }
  return IsA(node, FuncExpr) ? (FuncExpr*)node : NULL;
}

Expr* steps_over(const Expr* expression, const Expr* part, const Var* column) {
  Replacement with = {part, column};
  return (Expr*)replace_part((Node*)copyObjectImpl(expression), &with);
}

}  // namespace dpmix::pg
