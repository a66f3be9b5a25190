#include "pg/query/read/constants.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
}

#include "pg/border/compat.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/scan/memory.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

// A query is copied as it is planned, started and sent to workers.
constexpr double kCopies = 8;

bool calls_others(Oid function, void*) {
  return !is_own_immutable(function) && !is_own_of_time(function);
}

bool is_of_time(const SQLValueFunction* value) {
  switch (value->op) {
    case SVFOP_CURRENT_DATE:
    case SVFOP_CURRENT_TIME:
    case SVFOP_CURRENT_TIME_N:
    case SVFOP_CURRENT_TIMESTAMP:
    case SVFOP_CURRENT_TIMESTAMP_N:
    case SVFOP_LOCALTIME:
    case SVFOP_LOCALTIME_N:
    case SVFOP_LOCALTIMESTAMP:
    case SVFOP_LOCALTIMESTAMP_N:
      return true;
    default:
      return false;
  }
}

// Whether a node, or anything below it, cannot be evaluated before the query is checked. arg: what
// it stands in that gives CaseTestExpr a value; NULL: nothing.
bool is_variable(Node* node, void* arg) {
  if (node == NULL) return false;
  switch (nodeTag(node)) {
    case T_Const:
    case T_List:
    case T_FuncExpr:
    case T_OpExpr:
    case T_DistinctExpr:
    case T_NullIfExpr:
    case T_ScalarArrayOpExpr:
    case T_BoolExpr:
    case T_NullTest:
    case T_BooleanTest:
    case T_RelabelType:
    case T_CoerceViaIO:
    case T_ArrayExpr:
    case T_CaseWhen:
    case T_CoalesceExpr:
      return check_functions_in_node(node, calls_others, NULL) ||
             walk_expression(node, is_variable, arg);
    case T_CaseExpr:
    case T_ArrayCoerceExpr:
      return check_functions_in_node(node, calls_others, NULL) ||
             walk_expression(node, is_variable, node);
    case T_CaseTestExpr:
      return arg == NULL;
    case T_SQLValueFunction:
      return !is_of_time((const SQLValueFunction*)node);
    default:
      return true;
  }
}

bool is_of_now(Oid function, void*) {
  return is_own_of_now(function);
}

bool has_now(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, SQLValueFunction) && is_of_time((const SQLValueFunction*)node)) return true;
  return check_functions_in_node(node, is_of_now, NULL) || walk_expression(node, has_now, arg);
}

bool has_aggregate_of_now(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, Aggref)) return has_now(node, NULL);
  return walk_expression(node, has_aggregate_of_now, arg);
}

}  // namespace

// Those that are named often, or computed, can be longer than the text that names them.
void add_constant(double* bytes, const Node* node) {
  if (!IsA(node, Const)) return;
  const Const* constant = (const Const*)node;
  if (constant->constisnull || constant->constlen != -1) return;
  const double size = VARSIZE_ANY(DatumGetPointer(constant->constvalue));
  *bytes += size;
  need_own_memory(kCopies * size);
  if (*bytes <= row_memory_bytes()) return;
  refuse_argument("the query's constants do not fit the memory of a row",
                  psprintf("With parameters as often as they are named they take more than "
                           "dpmix.row_memory, %.0f kB.",
                           row_memory_bytes() / 1024),
                  "Name long parameters fewer times, or let an administrator raise "
                  "dpmix.row_memory.");
}

Node* evaluate_constants(Node* node, void* bytes) {
  if (node == NULL || IsA(node, Const)) return node;
  const bool value = !IsA(node, List) && !IsA(node, TargetEntry) && !IsA(node, CaseWhen);
  if (value && !is_variable(node, NULL)) {
    Node* made =
        (Node*)evaluate_expr((Expr*)node, exprType(node), exprTypmod(node), exprCollation(node));
    add_constant((double*)bytes, made);
    return made;
  }
  return mutate_expression(node, evaluate_constants, bytes);
}

bool asks_of_now(const Query* query) {
  if (has_now((Node*)query->jointree, NULL) || has_aggregate_of_now(query->havingQual, NULL)) {
    return true;
  }
  ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    const bool key =
        get_sortgroupref_clause_noerr(entry->ressortgroupref, query->groupClause) != NULL;
    if (key ? has_now((Node*)entry->expr, NULL) : has_aggregate_of_now((Node*)entry->expr, NULL)) {
      return true;
    }
  }
  return false;
}

}  // namespace dpmix::pg
