#include "pg/facade/explain.hpp"

#include "pg/border/compat.hpp"
#include "pg/facade/answer.hpp"
#include "pg/facade/catalog.hpp"
#include "pg/facade/rewrite.hpp"

extern "C" {
#include "commands/explain.h"
#include "nodes/makefuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
}

namespace dpmix::pg {
namespace {

// With the values that parameters and now() have at present. NULL: one has none.
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
    Node* value = estimate_expression_value(&root, (Node*)lfirst(cell));
    if (!IsA(value, Const)) return NULL;
    lfirst(cell) = value;
  }
  return made;
}

List* lines_of(const FuncExpr* call, ParamListInfo parameters) {
  FuncExpr* valued = with_values(call, parameters);
  if (valued == NULL) return list_make1((void*)"its price depends on parameters without values");
  FmgrInfo function;
  fmgr_info(valued->funcid, &function);
  fmgr_info_set_expr((Node*)valued, &function);
  LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
  InitFunctionCallInfoData(*fcinfo, &function, list_length(valued->args), InvalidOid, NULL, NULL);
  for (int i = 0; i < list_length(valued->args); i++) {
    const Const* argument = list_nth_node(Const, valued->args, i);
    fcinfo->args[i] = {argument->constvalue, argument->constisnull};
  }
  return explained_answer(fcinfo);
}

void show(const char* label, List* lines, ExplainState* state) {
  if (state->format != EXPLAIN_FORMAT_TEXT) {
    ExplainOpenGroup(label, NULL, true, state);
    ExplainPropertyList(label, lines, state);
    ExplainCloseGroup(label, NULL, true, state);
    return;
  }
  ListCell* cell;
  foreach (cell, lines) ExplainPropertyText(label, (const char*)lfirst(cell), state);
}

ExplainOneQuery_hook_type explain_before = NULL;

void explain(Query* query, int options, IntoClause* into, ExplainState* state, const char* text,
             ParamListInfo parameters, QueryEnvironment* environment) {
  // The planner scribbles on the calls.
  List* calls = have_facades() ? (List*)copyObjectImpl(rewrite_statement(query).calls) : NIL;
  if (explain_before != NULL) {
    explain_before(query, options, into, state, text, parameters, environment);
  } else {
    explain_one_query(query, options, into, state, text, parameters, environment);
  }
  int number = 0;
  ListCell* cell;
  foreach (cell, calls) {
    show(psprintf("Private Answer %d", number++),
         lines_of((const FuncExpr*)lfirst(cell), parameters), state);
  }
}

}  // namespace

void plain_explain_init() {
  explain_before = ExplainOneQuery_hook;
  ExplainOneQuery_hook = explain;
}

}  // namespace dpmix::pg
