#include "pg/scan/memory_plan.hpp"

#include "pg/border/callable.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/fmgroids.h"
}

namespace dpmix::pg {
namespace {

const FuncExpr* called_by(const FunctionScan* scan) {
  if (list_length(scan->functions) != 1) return NULL;
  const Node* call = linitial_node(RangeTblFunction, scan->functions)->funcexpr;
  return IsA(call, FuncExpr) ? (const FuncExpr*)call : NULL;
}

bool reads_units(const FunctionScan* scan) {
  const FuncExpr* call = called_by(scan);
  return call != NULL &&
         (call->funcid == dpmix_function("held_units", {INTERNALOID}) ||
          call->funcid == dpmix_function("groups_of_units", {INTERNALOID}) ||
          call->funcid == dpmix_function("rows_of_unit", {INTERNALOID, INT4OID, INT4OID}));
}

// The shares of units are numbers.
bool is_silent(const FunctionScan* scan) {
  const FuncExpr* call = called_by(scan);
  return reads_units(scan) || (call != NULL && call->funcid == F_GENERATE_SERIES_INT4_INT4);
}

using Judge = Callable<const char*(const Plan* plan)>;

// What judge finds first in a plan and all below it; NULL: nothing.
const char* search(const Plan* plan, const Judge& judge) {
  if (plan == NULL) return NULL;
  const char* found = judge(plan);
  if (found == NULL) found = search(plan->lefttree, judge);
  if (found == NULL) found = search(plan->righttree, judge);
  if (found == NULL && IsA(plan, SubqueryScan)) {
    found = search(((const SubqueryScan*)plan)->subplan, judge);
  }
  const List* more = IsA(plan, Append)        ? ((const Append*)plan)->appendplans
                     : IsA(plan, MergeAppend) ? ((const MergeAppend*)plan)->mergeplans
                                              : NIL;
  ListCell* cell;
  foreach (cell, more) {
    if (found == NULL) found = search((const Plan*)lfirst(cell), judge);
  }
  return found;
}

const char* search_all(const PlannedStmt* plan, const Judge& judge) {
  const char* found = search(plan->planTree, judge);
  ListCell* cell;
  foreach (cell, plan->subplans) {
    if (found == NULL) found = search((const Plan*)lfirst(cell), judge);
  }
  return found;
}

const char* judge_node(const Plan* plan) {
  switch (nodeTag(plan)) {
    case T_Result:
    case T_Append:
    case T_MergeAppend:
    case T_NestLoop:
    case T_MergeJoin:
    case T_HashJoin:
    case T_Hash:
    case T_Material:
    case T_Sort:
    case T_Group:
    case T_Agg:
    case T_WindowAgg:
    case T_Unique:
    case T_SetOp:
    case T_Limit:
    case T_SubqueryScan:
      return NULL;
    case T_FunctionScan:
      return is_silent((const FunctionScan*)plan) ? NULL : "a function that is not known";
    default:
      return "a node that is not known";
  }
}

}  // namespace

bool reads_held_units(const PlannedStmt* plan) {
  return search_all(plan, [](const Plan* node) -> const char* {
           return IsA(node, FunctionScan) && reads_units((const FunctionScan*)node) ? "units"
                                                                                    : NULL;
         }) != NULL;
}

int nodes_holding_rows(const PlannedStmt* plan) {
  int count = 0;
  (void)search_all(plan, [&](const Plan* node) -> const char* {
    switch (nodeTag(node)) {
      case T_FunctionScan:
      case T_Sort:
      case T_Hash:
      case T_Material:
      case T_WindowAgg:
      case T_SetOp:
      case T_Agg:
        count++;
        break;
      default:
        break;
    }
    return NULL;
  });
  return count;
}

const char* unproved_in_memory(const PlannedStmt* plan) {
  return search_all(plan, [](const Plan* node) { return judge_node(node); });
}

}  // namespace dpmix::pg
