#include "pg/query/read/text.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/scan/memory.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

constexpr const char* kNames[] = {"dp_count",
                                  "dp_count_distinct",
                                  "dp_sum",
                                  "dp_avg",
                                  "dp_var",
                                  "dp_stddev",
                                  "dp_regr_count",
                                  "dp_covar",
                                  "dp_corr",
                                  "dp_regr_slope",
                                  "dp_regr_intercept",
                                  "dp_quantile",
                                  "dp_median",
                                  "dp_histogram",
                                  "dp_low",
                                  "dp_high"};

struct Analysis {
  const char* text;
  Node* statement;  // as it was parsed, for analysis changes it in place; NULL: not parsed yet
};

struct CallSearch {
  const char* text;
  int position;  // in characters, from 1
  const FuncCall* found;
};

bool find_call(Node* node, void* arg) {
  if (node == NULL) return false;
  CallSearch* search = (CallSearch*)arg;
  if (IsA(node, FuncCall)) {
    const FuncCall* call = (const FuncCall*)node;
    if (call->location >= 0 &&
        pg_mbstrlen_with_len(search->text, call->location) + 1 == search->position) {
      search->found = call;
      return true;
    }
  }
  return walk_raw_expression(node, find_call, arg);
}

// What PostgreSQL's own hint, to add a cast, would not help with.
void hint_at_call(const Analysis* analysis, int position) {
  if (geterrcode() != ERRCODE_UNDEFINED_FUNCTION && geterrcode() != ERRCODE_AMBIGUOUS_FUNCTION) {
    return;
  }
  CallSearch search = {analysis->text, position, NULL};
  (void)find_call(analysis->statement, &search);
  if (search.found == NULL) return;
  const char* name = strVal(llast(search.found->funcname));
  constexpr const char* kOfNumbers[] = {"dp_sum",      "dp_avg",    "dp_var",      "dp_stddev",
                                        "dp_quantile", "dp_median", "dp_histogram"};
  for (const char* known : kOfNumbers) {
    if (strcmp(name, known) != 0) continue;
    errhint(
        "%s needs a number. For the share or the number of rows that meet a condition write "
        "dp_avg((region = 'west')::int) or dp_sum((region = 'west')::int).",
        name);
  }
}

// A cursor position of PostgreSQL's is about this text, not about the statement that calls us.
void point_into_query(void* arg) {
  const Analysis* analysis = (const Analysis*)arg;
  const int position = geterrposition();
  if (position <= 0) return;
  if (analysis->statement != NULL) hint_at_call(analysis, position);
  errposition(0);
  internalerrposition(position);
  internalerrquery(analysis->text);
}

// dp_low and dp_high are plain functions: what belongs to other kinds is refused here, for parse
// analysis would speak of PostgreSQL's kinds of functions instead of what to write.
void check_interval_call(const FuncCall* call) {
  const char* name = strVal(llast(call->funcname));
  if (strcmp(name, "dp_low") != 0 && strcmp(name, "dp_high") != 0) return;
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
      bool known = false;
      for (const char* ours : kNames) known = known || strcmp(name, ours) == 0;
      if (!known) {
        refuse(ErrorCode::query_not_allowed,
               psprintf("%s is not a private aggregate of this version", name),
               psprintf("The query calls %s.", name),
               "There are dp_count(*), dp_count(x), dp_count_distinct(x), dp_sum(x), dp_avg(x), "
               "dp_var(x), dp_stddev(x), dp_covar(x, y), dp_corr(x, y), dp_regr_count(y, x), "
               "dp_regr_slope(y, x), dp_regr_intercept(y, x), dp_quantile(x, p), dp_median(x) and "
               "dp_histogram(x, edges), and dp_low and dp_high of these.");
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
  double bytes;  // of what was made of them, each time that they are named
};

// A query is copied as it is planned, started and sent to workers.
constexpr double kCopies = 8;

// Constants that are named often, or computed, can be longer than the text that names them.
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

Node* evaluate_constants(Node* node, void* arg) {
  if (node == NULL || IsA(node, Const)) return node;
  const bool value = !IsA(node, List) && !IsA(node, TargetEntry) && !IsA(node, CaseWhen);
  if (value && !is_variable(node, NULL)) {
    Node* made =
        (Node*)evaluate_expr((Expr*)node, exprType(node), exprTypmod(node), exprCollation(node));
    add_constant((double*)arg, made);
    return made;
  }
  return mutate_expression(node, evaluate_constants, arg);
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

// In what is asked of rows: FROM, WHERE, keys and aggregates.
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

void mutate_expressions(Query* query, NodeMutator mutate, void* arg) {
  query->targetList = (List*)mutate((Node*)query->targetList, arg);
  query->jointree->quals = mutate(query->jointree->quals, arg);
  query->havingQual = mutate(query->havingQual, arg);
  query->limitOffset = mutate(query->limitOffset, arg);
  query->limitCount = mutate(query->limitCount, arg);
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

// Errors of analyse point into the text.
template <class Analyse>
Query* analysed(const char* text, const Analyse& analyse) {
  ErrorContextCallback context;
  context.callback = point_into_query;
  Analysis analysis = {text, NULL};
  context.arg = &analysis;
  context.previous = error_context_stack;
  error_context_stack = &context;
  RawStmt* statement = read_statement(text);
  analysis.statement = (Node*)copyObjectImpl(statement->stmt);
  Query* query = analyse(statement);
  error_context_stack = context.previous;
  return query;
}

Query* bound(Query* query, NodeMutator bind, void* parameters, const Query** moving) {
  if (moving != NULL) *moving = NULL;
  if (query->commandType != CMD_SELECT) return query;  // SELECT INTO; the validator refuses it
  inline_group_columns(query);
  mutate_expressions(query, flatten, query);
  mutate_expressions(query, bind, parameters);
  if (moving != NULL && asks_of_now(query)) *moving = (const Query*)copyObjectImpl(query);
  double bytes = 0;
  mutate_expressions(query, evaluate_constants, &bytes);
  return query;
}

}  // namespace

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
