#include "pg/query/read/text.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/read/constants.hpp"
#include "pg/query/read/facades.hpp"
#include "pg/query/read/granted_views.hpp"
#include "pg/query/read/views.hpp"
#include "pg/trees/ages.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

constexpr int kMostRounds = 16;  // facades of views, each of which reads the one before

constexpr const char* kEnds[] = {"dp_low", "dp_high"};

bool is_end(const char* name) {
  return strcmp(name, kEnds[0]) == 0 || strcmp(name, kEnds[1]) == 0;
}

const char* calls_text() {
  List* calls = NIL;
  for (const Aggregate* row = first_aggregate(); row != NULL; row = row->next) {
    calls = lappend(calls, (void*)call_text(row));
  }
  return listed_texts(calls, " and ");
}

// A cursor position of PostgreSQL's is about this text, not about the statement that calls us.
void point_into_query(void* text) {
  const int position = geterrposition();
  if (position <= 0) return;
  errposition(0);
  internalerrposition(position);
  internalerrquery((const char*)text);
}

// dp_low and dp_high are plain functions: what belongs to other kinds is refused here, for parse
// analysis would speak of PostgreSQL's kinds of functions instead of what to write.
void check_interval_call(const FuncCall* call) {
  const char* name = strVal(llast(call->funcname));
  if (!is_end(name)) return;
  const char* construct = call->agg_distinct       ? "DISTINCT"
                          : call->agg_order != NIL ? "ORDER BY"
                          : call->agg_filter       ? "FILTER"
                          : call->over             ? "OVER"
                          : call->func_variadic    ? "VARIADIC"
                          : call->agg_star         ? "*"
                                                   : NULL;
  if (construct == NULL) return;
  refuse(ErrorCode::query_not_allowed,
         psprintf("%s in %s is not allowed on a protected table", construct, name),
         psprintf("%s gives one end of the interval around a dp_* aggregate.", name),
         psprintf("Write %s(dp_count(*), 0.95).", name));
}

bool qualify_names(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, FuncCall)) {
    FuncCall* call = (FuncCall*)node;
    check_interval_call(call);
    const char* name = strVal(linitial(call->funcname));
    if (list_length(call->funcname) == 1 && strncmp(name, "dp_", 3) == 0) {
      if (aggregate_named(name, false) == NULL && !is_end(name)) {
        refuse(ErrorCode::query_not_allowed,
               psprintf("%s is not a private aggregate of this version", name),
               psprintf("The query calls %s.", name),
               psprintf("There are %s, and %s and %s of these.", calls_text(), kEnds[0], kEnds[1]));
      }
      call->funcname = lcons(makeString(pstrdup("dpmix")), call->funcname);
    }
  }
  return walk_raw_expression(node, qualify_names, arg);
}

struct Parameters {
  int count;
  Datum* text;
  bool* null;
  Oid* type;
  double bytes;  // bytes of what was made of them, each time that they are named
};

Parameters read_parameters(ArrayType* params) {
  Parameters out = {};
  if (params == NULL) return out;
  deconstruct_array(params, TEXTOID, -1, false, TYPALIGN_INT, &out.text, &out.null, &out.count);
  return out;
}

void check_parameter_count(int given, int used) {
  if (given == used) return;
  if (given < used) {
    refuse_argument(psprintf("$%d has no value", given + 1),
                    psprintf("The query uses up to $%d; params has %d.", used, given),
                    "Pass one text for each $n, in the order of n: params => ARRAY['west', '12'].");
  }
  refuse_argument("the query does not use the parameters that it is given",
                  psprintf("It uses up to $%d; params has %d.", used, given),
                  "Pass one text for each $n, in the order of n.");
}

void name_parameter(void* name) {
  errcontext("%s", (const char*)name);
}

Datum read_parameter(const char* text, const Param* param) {
  ErrorContextCallback context;
  context.callback = name_parameter;
  context.arg = psprintf("$%d of the query, from params, as %s", param->paramid,
                         format_type_be(param->paramtype));
  context.previous = error_context_stack;
  error_context_stack = &context;
  Oid input, argument;
  getTypeInputInfo(param->paramtype, &input, &argument);
  const Datum value = OidInputFunctionCall(input, (char*)text, argument, -1);
  error_context_stack = context.previous;
  return value;
}

// $n becomes a constant of the type that the query gives it.
Node* bind_parameters(Node* node, void* arg) {
  if (node == NULL) return NULL;
  if (IsA(node, Param) && ((Param*)node)->paramkind == PARAM_EXTERN) {
    Parameters* given = (Parameters*)arg;
    const Param* param = (const Param*)node;
    const int i = param->paramid - 1;
    if (i == given->count) return node;  // left as it is
    if (given->null[i]) return (Node*)makeNullConst(param->paramtype, -1, param->paramcollid);
    const Datum value = read_parameter(TextDatumGetCString(given->text[i]), param);
    Node* made = (Node*)constant(param->paramtype, param->paramcollid, value);
    add_constant(&given->bytes, made);
    return made;
  }
  return mutate_expression(node, bind_parameters, arg);
}

void mutate_expressions(Query* query, NodeMutator mutate, void* arg) {
  query->targetList = (List*)mutate((Node*)query->targetList, arg);
  query->jointree->quals = mutate(query->jointree->quals, arg);
  query->havingQual = mutate(query->havingQual, arg);
  query->limitOffset = mutate(query->limitOffset, arg);
  query->limitCount = mutate(query->limitCount, arg);
  query->windowClause = (List*)mutate((Node*)query->windowClause, arg);
  query->jointree->fromlist = (List*)mutate((Node*)query->jointree->fromlist, arg);
}

struct BoundValues {
  const TypedParameters* given;
  double bytes;
};

Node* bind_typed(Node* node, void* arg) {
  if (node == NULL) return NULL;
  if (IsA(node, Param) && ((Param*)node)->paramkind == PARAM_EXTERN) {
    const TypedParameters* given = ((BoundValues*)arg)->given;
    const Param* param = (const Param*)node;
    const int i = param->paramid - 1;
    if (given->null[i]) return (Node*)makeNullConst(param->paramtype, -1, param->paramcollid);
    Node* made = (Node*)constant(param->paramtype, param->paramcollid, given->value[i]);
    add_constant(&((BoundValues*)arg)->bytes, made);
    return made;
  }
  return mutate_expression(node, bind_typed, arg);
}

Node* count_ages_from_today(Node* node, void* arg) {
  if (node == NULL) return NULL;
  FuncExpr* age = IsA(node, FuncExpr) ? age_from_today((FuncExpr*)node) : NULL;
  return mutate_expression(age != NULL ? (Node*)age : node, count_ages_from_today, arg);
}

Node* flatten(Node* node, void* query) {
  return flatten_join_columns((Query*)query, node);
}

RawStmt* read_statement(const char* text) {
  List* statements = raw_parser(text, RAW_PARSE_DEFAULT);
  if (list_length(statements) != 1 || !IsA(linitial_node(RawStmt, statements)->stmt, SelectStmt)) {
    refuse(ErrorCode::query_not_allowed, "the query must be exactly one SELECT",
           psprintf("The text holds %d statements, or one that is not a SELECT.",
                    list_length(statements)),
           "Pass one SELECT over a protected table; call dpmix.query once for each.");
  }
  RawStmt* statement = linitial_node(RawStmt, statements);
  qualify_names(statement->stmt, NULL);
  return statement;
}

// Errors of work point into the text.
template <class Work>
auto at_text(const char* text, const Work& work) {
  ErrorContextCallback context;
  context.callback = point_into_query;
  context.arg = (void*)text;
  context.previous = error_context_stack;
  error_context_stack = &context;
  auto made = work();
  error_context_stack = context.previous;
  return made;
}

template <class Analyse>
Query* analysed(const char* text, const Analyse& analyse) {
  Query* query = at_text(text, [&] { return analyse(read_statement(text)); });
  require_granted_views(query);
  read_queries_of_views(query);
  for (int rounds = 0; read_tables_of_facades(query); rounds++) {  // some are views again
    if (rounds == kMostRounds) {
      refuse_construct(
          "a view that reads its own facade, or too many such views one above the other, is",
          "Its owner makes the view of tables.");
    }
    read_queries_of_views(query);
  }
  return query;
}

// The queries within a query, each once, and itself.
bool collect_queries(Node* node, void* found) {
  if (node == NULL) return false;
  if (IsA(node, Query)) {
    *(List**)found = lappend(*(List**)found, node);
    return walk_query((Query*)node, collect_queries, found);
  }
  return walk_expression(node, collect_queries, found);
}

List* queries_in(Query* query) {
  List* found = NIL;
  (void)collect_queries((Node*)query, &found);
  return found;
}

void prepare_below(Query* query, NodeMutator bind, void* parameters) {
  // Columns of joins first: what is put in their place is copied, queries and all.
  for (int done = 0;; done++) {
    const List* queries = queries_in(query);
    if (done >= list_length(queries)) break;
    Query* below = (Query*)list_nth(queries, done);
    inline_group_columns(below);
    mutate_expressions(below, flatten, below);
  }
  const ListCell* cell;
  foreach (cell, queries_in(query)) {
    Query* below = (Query*)lfirst(cell);
    mutate_expressions(below, bind, parameters);
    mutate_expressions(below, count_ages_from_today, NULL);
  }
}

void evaluate_below(Query* query, double* bytes) {
  const ListCell* cell;
  foreach (cell, queries_in(query)) {
    mutate_expressions((Query*)lfirst(cell), evaluate_constants, bytes);
  }
}

Query* bound(Query* query, NodeMutator bind, void* parameters, const Query** moving) {
  if (moving != NULL) *moving = NULL;
  if (query->commandType != CMD_SELECT) return query;  // SELECT INTO; the validator refuses it
  prepare_below(query, bind, parameters);
  if (moving != NULL && asks_of_now(query)) *moving = (const Query*)copyObjectImpl(query);
  double bytes = 0;
  evaluate_below(query, &bytes);
  return query;
}

}  // namespace

Node* raw_query(const char* text) {
  return at_text(text, [=] { return read_statement(text)->stmt; });
}

Query* analyse_query_text(const char* text, ArrayType* params, const Query** moving) {
  Parameters parameters = read_parameters(params);
  Query* query = analysed(text, [&](RawStmt* statement) {
    int used = 0;
    Query* made = parse_analyze_varparams(statement, text, &parameters.type, &used, NULL);
    check_parameter_count(parameters.count, used);
    return made;
  });
  return bound(query, bind_parameters, &parameters, moving);
}

Query* analyse_query_of(const char* text, ArrayType* params, int moment) {
  Parameters parameters = read_parameters(params);
  Query* query = analysed(text, [&](RawStmt* statement) {
    int used = 0;
    Query* made = parse_analyze_varparams(statement, text, &parameters.type, &used, NULL);
    check_parameter_count(parameters.count, moment - 1);
    return made;
  });
  return bound(query, bind_parameters, &parameters, NULL);
}

Query* analyse_query_text(const char* text, const TypedParameters& params, const Query** moving) {
  Query* query = analysed(text, [&](RawStmt* statement) {
    return parse_analyze_fixedparams(statement, text, params.type, params.count, NULL);
  });
  BoundValues values = {&params, 0};
  return bound(query, bind_typed, &values, moving);
}

}  // namespace dpmix::pg
