#include "pg/facade/explain.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/explained.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/facade/answer.hpp"
#include "pg/facade/answer_names.hpp"
#include "pg/facade/calls.hpp"
#include "pg/facade/rewrite.hpp"
#include "pg/scan/run_plan.hpp"

extern "C" {
#include "commands/explain.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "rewrite/rewriteManip.h"
#include "utils/datum.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {
namespace {

// What an expression with sub-selects gives at present, with the rights of who asks. It reads no
// facade (constant_subselects.hpp).
Const* value_now(Node* value, ParamListInfo parameters) {
  Query* query = makeNode(Query);
  query->commandType = CMD_SELECT;
  query->canSetTag = query->hasSubLinks = true;
  query->jointree = makeFromExpr(NIL, NULL);
  TargetEntry* target = makeTargetEntry((Expr*)copyObjectImpl(value), 1, pstrdup("value"), false);
  query->targetList = list_make1(target);
  PlannedStmt* plan = planner(query, "", 0, parameters);
  Tuplestorestate* rows = tuplestore_begin_heap(false, false, work_mem);
  DestReceiver* receiver = CreateDestReceiver(DestTuplestore);
  SetTuplestoreDestReceiverParams(receiver, rows, CurrentMemoryContext, true, NULL, NULL);
  run_plan({plan, "", receiver, parameters}, 0);
  TupleTableSlot* row =
      MakeSingleTupleTableSlot(ExecTypeFromTL(list_make1(target)), &TTSOpsMinimalTuple);
  const Oid type = exprType(value);
  Const* made = makeNullConst(type, exprTypmod(value), exprCollation(value));
  if (tuplestore_gettupleslot(rows, true, false, row)) {
    bool null;
    const Datum found = slot_getattr(row, 1, &null);
    if (!null) {
      made->constisnull = false;
      made->constvalue = datumCopy(found, made->constbyval, made->constlen);
    }
  }
  ExecDropSingleTupleTableSlot(row);
  tuplestore_end(rows);
  return made;
}

// The call with the values that parameters, now() and sub-selects have at present. NULL: one has
// none.
FuncExpr* with_values(const FuncExpr* call, ParamListInfo parameters) {
  PlannerGlobal global = {};
  global.type = T_PlannerGlobal;
  global.boundParams = parameters;
  PlannerInfo root = {};
  root.type = T_PlannerInfo;
  root.glob = &global;
  FuncExpr* made = (FuncExpr*)copyObjectImpl(call);
  ListCell* cell;
  foreach (cell, made->args) {
    if (reads_answers((Node*)lfirst(cell))) return NULL;
    Node* value = estimate_expression_value(&root, (Node*)lfirst(cell));
    if (checkExprHasSubLink(value) && !contain_volatile_functions(value)) {
      value = (Node*)value_now(value, parameters);
    }
    if (!IsA(value, Const)) return NULL;
    lfirst(cell) = value;
  }
  return made;
}

List* lines_of(const FuncExpr* call, ParamListInfo parameters, const char* all_shown) {
  FuncExpr* valued = with_values(call, parameters);
  if (valued == NULL)
    return list_make1((void*)"its price depends on values that are not there yet");
  FmgrInfo function;
  fmgr_info(valued->funcid, &function);
  fmgr_info_set_expr((Node*)valued, &function);
  LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
  InitFunctionCallInfoData(*fcinfo, &function, list_length(valued->args), InvalidOid, NULL, NULL);
  for (int i = 0; i < list_length(valued->args); i++) {
    const Const* argument = list_nth_node(Const, valued->args, i);
    fcinfo->args[i] = {argument->constvalue, argument->constisnull};
  }
  return explained_answer(fcinfo, all_shown);
}

ExplainOneQuery_hook_type explain_before = NULL;

void explain(Query* query, int options, IntoClause* into, ExplainState* state, const char* text,
             ParamListInfo parameters, QueryEnvironment* environment) {
  StatementAnswers answers = {};
  if (have_facades()) answers = rewrite_statement(query);
  List* calls = (List*)copyObjectImpl(answers.calls);  // the planner scribbles on them
  if (explain_before != NULL) {
    explain_before(query, options, into, state, text, parameters, environment);
  } else {
    explain_one_query(query, options, into, state, text, parameters, environment);
  }
  int number = 0;
  ListCell* cell;
  foreach (cell, calls) {
    explain_lines(psprintf("Private Answer %d", number++),
                  lines_of((const FuncExpr*)lfirst(cell), parameters, answers.all_shown), state);
  }
}

}  // namespace

void plain_explain_init() {
  explain_before = ExplainOneQuery_hook;
  ExplainOneQuery_hook = explain;
}

}  // namespace dpmix::pg
