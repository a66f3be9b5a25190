#include "pg/query/keys/probe.hpp"

extern "C" {
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/params.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"

namespace dpmix::pg {

struct KeyProbe {
  EState* state;
  ExprContext* context;
  ExprState* expression;
  ParamListInfo parameters;
};

namespace {

struct Columns {
  int count;
  Var* const* column;
};

Node* use_parameters(Node* node, void* arg) {
  if (node == NULL) return NULL;
  if (!IsA(node, Var)) return mutate_expression(node, use_parameters, arg);
  const Columns* columns = (const Columns*)arg;
  for (int i = 0; i < columns->count; i++) {
    if (!equal(columns->column[i], node)) continue;
    Param* parameter = makeNode(Param);
    parameter->paramkind = PARAM_EXTERN;
    parameter->paramid = i + 1;
    parameter->paramtype = columns->column[i]->vartype;
    parameter->paramtypmod = columns->column[i]->vartypmod;
    parameter->paramcollid = columns->column[i]->varcollid;
    parameter->location = -1;
    return (Node*)parameter;
  }
  elog(ERROR, "a group key has a column that its probe lacks");
}

[[noreturn]] void refuse_raising(MemoryContext context) {
  MemoryContextSwitchTo(context);
  ErrorData* error = CopyErrorData();
  if (error->sqlerrcode == ERRCODE_QUERY_CANCELED) PG_RE_THROW();
  FlushErrorState();
  refuse_argument("a group key cannot be computed from its constants and declared values",
                  error->message, "Change the constants, or what is declared of its columns.");
}

}  // namespace

KeyProbe* probe_of(const Expr* expression, int columns, Var* const* column) {
  KeyProbe* made = (KeyProbe*)palloc(sizeof(KeyProbe));
  Columns from = {columns, column};
  Node* tree = use_parameters((Node*)copyObjectImpl(expression), &from);
  MemoryContext context = CurrentMemoryContext;
  PG_TRY();
  {
    made->state = CreateExecutorState();
    made->parameters = makeParamList(columns);
    for (int i = 0; i < columns; i++) {
      made->parameters->params[i] = {(Datum)0, true, 0, column[i]->vartype};
    }
    made->state->es_param_list_info = made->parameters;
    made->expression = ExecPrepareExpr((Expr*)tree, made->state);
    made->context = GetPerTupleExprContext(made->state);
  }
  PG_CATCH();
  { refuse_raising(context); }
  PG_END_TRY();
  return made;
}

Datum evaluate_probe(KeyProbe* probe, const Datum* value, const bool* missing, bool* null) {
  for (int i = 0; i < probe->parameters->numParams; i++) {
    probe->parameters->params[i].value = value[i];
    probe->parameters->params[i].isnull = missing != NULL && missing[i];
  }
  ResetExprContext(probe->context);
  MemoryContext context = CurrentMemoryContext;
  Datum result = (Datum)0;
  PG_TRY();
  { result = ExecEvalExprSwitchContext(probe->expression, probe->context, null); }
  PG_CATCH();
  { refuse_raising(context); }
  PG_END_TRY();
  if (*null) return result;
  int16 length;
  bool by_value;
  get_typlenbyval(exprType((Node*)probe->expression->expr), &length, &by_value);
  return datumCopy(result, by_value, length);
}

void end_probe(KeyProbe* probe) {
  FreeExecutorState(probe->state);
}

}  // namespace dpmix::pg
