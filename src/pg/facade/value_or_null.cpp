#include "pg/facade/value_or_null.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/answer/value_errors.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
PG_FUNCTION_INFO_V1(dpmix_value_or_null);
PG_FUNCTION_INFO_V1(dpmix_expression_in);
PG_FUNCTION_INFO_V1(dpmix_expression_out);
}

namespace dpmix::pg {
namespace {

struct Part {
  int tests;  // CASE and array coercions around that give a part its value
  bool sublinks, choices;
};

bool is_bound(Node* node, void* arg);

bool is_bound_in_test(Node* node, Part* part) {
  part->tests++;
  const bool bound = is_bound(node, part);
  part->tests--;
  return bound;
}

bool is_case_bound(const CaseExpr* choice, Part* part) {
  if (choice->arg == NULL) return walk_expression((Node*)choice, is_bound, part);
  ListCell* cell;
  foreach (cell, choice->args) {
    const CaseWhen* when = lfirst_node(CaseWhen, cell);
    if (is_bound_in_test((Node*)when->expr, part)) return true;
    if (is_bound_in_test((Node*)when->result, part)) return true;
  }
  return is_bound((Node*)choice->arg, part) || is_bound_in_test((Node*)choice->defresult, part);
}

// Whether a part means something in its place alone.
bool is_bound(Node* node, void* arg) {
  if (node == NULL) return false;
  Part* part = (Part*)arg;
  switch (nodeTag(node)) {
    case T_Aggref:
    case T_GroupingFunc:
    case T_Query:
    case T_CoerceToDomainValue:
    case T_CurrentOfExpr:
      return true;
    case T_Param:
      return !is_statement_parameter(node);
    case T_CaseTestExpr:
      return part->tests == 0;
    case T_WindowFunc:
      return false;
    case T_SubLink:
      part->sublinks = true;
      return false;
    case T_CaseExpr:
      part->choices = true;
      return is_case_bound((const CaseExpr*)node, part);
    case T_ArrayCoerceExpr:
      return is_bound((Node*)((const ArrayCoerceExpr*)node)->arg, part) ||
             is_bound_in_test((Node*)((const ArrayCoerceExpr*)node)->elemexpr, part);
    case T_FuncExpr:
      if (((const FuncExpr*)node)->funcretset) return true;
      break;
    case T_OpExpr:
      if (((const OpExpr*)node)->opretset) return true;
      break;
    case T_CoalesceExpr:
    case T_BoolExpr:
      part->choices = true;
      break;
    default:
      break;
  }
  return walk_expression(node, is_bound, arg);
}

// A sub-select that a choice leaves out is not computed, and not charged.
bool is_movable(Node* node) {
  Part part = {};
  return !is_bound(node, &part) && !(part.sublinks && part.choices);
}

Node* value_or_null(Node* node, void* arg);

// Columns, parameters, and what only the query can compute become the arguments of the call.
Node* over_arguments(Node* node, void* arg) {
  if (node == NULL) return NULL;
  List** arguments = (List**)arg;
  if (IsA(node, Var) || is_statement_parameter(node)) {
    return (Node*)parameter_for(node, add_once(arguments, node));
  }
  if (IsA(node, WindowFunc) || IsA(node, SubLink)) {
    *arguments = lappend(*arguments, value_or_null(node, NULL));
    return (Node*)parameter_for(node, list_length(*arguments));
  }
  return mutate_expression(node, over_arguments, arg);
}

Oid expression_type() {
  const Oid schema = get_namespace_oid("dpmix_internal", false);
  return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("expression"), schema);
}

Oid value_function() {
  return dpmix_function("value_or_null", {expression_type(), ANYELEMENTOID, ANYOID});
}

bool find_call(Node* node, void* function) {
  if (node == NULL) return false;
  if (IsA(node, FuncExpr) && ((FuncExpr*)node)->funcid == *(const Oid*)function) return true;
  if (IsA(node, Query)) return walk_query((Query*)node, find_call, function);
  return walk_expression(node, find_call, function);
}

Node* call_of(Node* node) {
  List* arguments = NIL;
  Node* tree = over_arguments(node, &arguments);
  // This raises before any charge: what fails as it is planned, and functions not to be called.
  (void)ExecInitExpr(expression_planner((Expr*)copyObjectImpl(tree)), NULL);
  const Oid type = exprType(node), expression = expression_type();
  const Datum text = CStringGetTextDatum(nodeToString(tree));
  arguments = lcons(makeNullConst(type, -1, exprCollation(node)), arguments);
  arguments = lcons(constant(expression, InvalidOid, text), arguments);
  FuncExpr* call = makeFuncExpr(value_function(), type, arguments, exprCollation(node), InvalidOid,
                                COERCE_EXPLICIT_CALL);
  if (exprTypmod(node) < 0) return (Node*)call;
  return (Node*)makeRelabelType((Expr*)call, type, exprTypmod(node), exprCollation(node),
                                COERCE_IMPLICIT_CAST);
}

Node* value_or_null(Node* node, void* arg) {
  if (node == NULL) return NULL;
  switch (nodeTag(node)) {
    case T_SubLink:
      return node;
    case T_List:
    case T_TargetEntry:
    case T_CaseWhen:
    case T_NamedArgExpr:
    case T_WindowFunc:
      return mutate_expression(node, value_or_null, arg);
    default:
      break;
  }
  if (!contain_leaked_vars(node)) return node;  // it cannot fail
  return is_movable(node) ? call_of(node) : mutate_expression(node, value_or_null, arg);
}

struct Evaluation {  // that of one call of a statement
  MemoryContext memory;
  ParamListInfo arguments;
  ExprContext* context;
  ExprState* state;
};

Evaluation* begin_evaluation(FunctionCallInfo fcinfo) {
  MemoryContext memory =
      AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "dpmix value", ALLOCSET_SMALL_SIZES);
  MemoryContext old = MemoryContextSwitchTo(memory);
  Evaluation* made = (Evaluation*)palloc(sizeof(Evaluation));
  made->memory = memory;
  made->arguments = makeParamList(PG_NARGS() - 2);
  for (int i = 2; i < PG_NARGS(); i++) {
    made->arguments->params[i - 2].ptype = get_fn_expr_argtype(fcinfo->flinfo, i);
  }
  Expr* tree = (Expr*)stringToNode(TextDatumGetCString(PG_GETARG_DATUM(0)));
  made->context = CreateStandaloneExprContext();
  made->context->ecxt_param_list_info = made->arguments;
  made->state = ExecInitExprWithParams(expression_planner(tree), made->arguments);
  MemoryContextSwitchTo(old);
  return made;
}

// Functions that were left by an error are not to be called again where they were.
void end_evaluation(FunctionCallInfo fcinfo, Evaluation* evaluation) {
  fcinfo->flinfo->fn_extra = NULL;
  FreeExprContext(evaluation->context, false);
  MemoryContextDelete(evaluation->memory);
}

}  // namespace

Node* with_values_or_nulls(Node* node) {
  return value_or_null(node, NULL);
}

bool has_values_or_nulls(Node* node) {
  Oid function = value_function();
  return find_call(node, &function);
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_value_or_null(PG_FUNCTION_ARGS) {
  require_argument(fcinfo, 0);
  if (fcinfo->flinfo->fn_extra == NULL) fcinfo->flinfo->fn_extra = begin_evaluation(fcinfo);
  Evaluation* evaluation = (Evaluation*)fcinfo->flinfo->fn_extra;
  for (int i = 2; i < PG_NARGS(); i++) {
    ParamExternData* argument = &evaluation->arguments->params[i - 2];
    argument->value = fcinfo->args[i].value;
    argument->isnull = fcinfo->args[i].isnull;
  }
  ResetExprContext(evaluation->context);
  Datum value = 0;
  bool null = true;
  if (!without_value_errors(
          [&] { value = ExecEvalExpr(evaluation->state, evaluation->context, &null); })) {
    end_evaluation(fcinfo, evaluation);
    PG_RETURN_NULL();
  }
  fcinfo->isnull = null;
  return value;
}

// The planner makes values of this type, and nobody else.
Datum dpmix_expression_in(PG_FUNCTION_ARGS) {
  refuse_argument("a value of type dpmix_internal.expression cannot be written", NULL,
                  "Write the expression itself.");
}

Datum dpmix_expression_out(PG_FUNCTION_ARGS) {
  Node* tree = (Node*)stringToNode(TextDatumGetCString(PG_GETARG_DATUM(0)));
  PG_RETURN_CSTRING(deparse_expression(tree, NIL, false, false));
}
}
