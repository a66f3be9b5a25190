#include "pg/facade/aggregates.hpp"

#include "pg/border/compat.hpp"
#include "pg/facade/times.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_func.h"
#include "rewrite/rewriteManip.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// All that have a private version; what is no name but a form of a call comes last.
const char* there_are() {
  List *names = NIL, *forms = NIL;
  for (const Aggregate* row = first_aggregate(); row != NULL; row = row->next) {
    if (row->plain_text == NULL) continue;
    List** to = row->takes == Takes::distinct ? &forms : &names;
    *to = lappend(*to, (void*)row->plain_text);
  }
  return psprintf("There are %s.", listed_texts(list_concat(names, forms), " and "));
}

Oid dp_function(const char* name, int arguments, const Oid* types) {
  List* qualified = list_make2(makeString(pstrdup("dpmix")), makeString(pstrdup(name)));
  return LookupFuncName(qualified, arguments, types, false);
}

bool is_number_type(Oid type) {
  switch (type) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case FLOAT4OID:
    case FLOAT8OID:
    case NUMERICOID:
      return true;
    default:
      return false;
  }
}

// Its text names it and the argument as the caller wrote it.
Aggref* dp_aggregate(const char* name, List* arguments, const Aggref* call) {
  const Aggregate* row = aggregate_named(name, arguments == NIL);
  const Oid second = row->takes == Takes::share ? FLOAT8OID : ANYOID, types[] = {ANYOID, second};
  const Oid function = dp_function(name, list_length(arguments), types);
  Aggref* made = aggregate_call(function, row->type, arguments);
  made->aggfilter = (Expr*)copyObjectImpl(call->aggfilter);
  return made;
}

// An argument as the caller wrote it: parse analysis of the text adds the casts that it needs.
Expr* as_written(Expr* argument) {
  return (Expr*)strip_implicit_coercions((Node*)copyObjectImpl(argument));
}

// The arguments of a call, without what it is sorted by, which changes none of ours.
List* arguments_of(const Aggref* call) {
  List* arguments = NIL;
  ListCell* cell;
  foreach (cell, call->args) {
    const TargetEntry* argument = lfirst_node(TargetEntry, cell);
    if (!argument->resjunk) arguments = lappend(arguments, as_written(argument->expr));
  }
  return arguments;
}

Aggref* dp_call_as_written(const Aggref* call) {
  Aggref* made = (Aggref*)copyObjectImpl(call);
  ListCell* cell;
  foreach (cell, made->args) {
    TargetEntry* argument = lfirst_node(TargetEntry, cell);
    argument->expr = as_written(argument->expr);
  }
  return made;
}

// What is aggregated: numbers, or times as such (times.hpp).
List* numbers_of(const Aggref* call, const char* name) {
  List* numbers = arguments_of(call);
  ListCell* cell;
  foreach (cell, numbers) {
    Expr* argument = (Expr*)lfirst(cell);
    const Oid type = exprType((Node*)argument);
    if (is_number_type(type)) continue;
    Expr* of_time = number_of_time(argument);
    if (of_time == NULL) {
      refuse_construct(psprintf("%s of %s is", name, format_type_be(type)), "Aggregate a number.");
    }
    lfirst(cell) = of_time;
  }
  return numbers;
}

// ORDER BY x DESC counts from above.
Expr* share_as_ordered(const Aggref* call, Expr* share) {
  const SortGroupClause* order = linitial_node(SortGroupClause, call->aggorder);
  const Oid type = exprType((Node*)linitial_node(TargetEntry, call->args)->expr);
  if (order->sortop != order_operator(type, BTGreaterStrategyNumber)) return share;
  if (IsA(share, Const) && ((const Const*)share)->constisnull) return share;
  Expr* rest = call_builtin(F_FLOAT8MI, FLOAT8OID, list_make2(float8_constant(1), share));
  return (Expr*)eval_const_expressions(NULL, (Node*)rest);
}

[[noreturn]] void refuse_aggregate(const char* name) {
  const bool least = strcmp(name, "min") == 0;
  const char* instead = there_are();
  if (least || strcmp(name, "max") == 0) {
    instead = psprintf(
        "Write percentile_disc(%s) WITHIN GROUP (ORDER BY x): the extreme itself is the value of "
        "one row. dpmix.describe() shows the declared bounds; SET dpmix.bounds_for_min_max = on "
        "answers min(x) and max(x) alone with them.",
        least ? "0.01" : "0.99");
  } else if (strncmp(name, "bool_", 5) == 0 || strcmp(name, "every") == 0) {
    instead = "Write count(*) FILTER (WHERE x), or avg(x::int).";
  } else if (strcmp(name, "mode") == 0) {
    instead = "GROUP BY x, and ORDER BY count(*) DESC LIMIT 1.";
  }
  refuse_construct(psprintf("the aggregate %s is", name), instead);
}

// What is distinct, sorted or hypothetical changes what an aggregate means.
void check_call(const Aggref* call, const char* name) {
  if (call->aggdistinct != NIL && strcmp(name, "count") != 0) {
    refuse_construct(psprintf("%s(DISTINCT ...) is", name),
                     "Aggregate all rows, or use count(DISTINCT x).");
  }
  const bool ordered = private_version(name).name.made == Made::ordered;
  if (AGGKIND_IS_ORDERED_SET(call->aggkind) && !ordered) {
    refuse_aggregate(name);
  }
}

Aggref* count_call(const Aggref* call) {
  if (call->aggstar) return dp_aggregate("dp_count", NIL, call);
  const char* name = call->aggdistinct != NIL ? "dp_count_distinct" : "dp_count";
  return dp_aggregate(name, arguments_of(call), call);
}

Aggref* ordered_call(const Aggref* call, const PlainAggregate& plain, Expr* share) {
  List* arguments = lappend(numbers_of(call, plain.name.name), share_as_ordered(call, share));
  return dp_aggregate(plain.of->name, arguments, call);
}

Node* shares_of(const Aggref* call) {
  return eval_const_expressions(NULL, (Node*)linitial(call->aggdirectargs));
}

// The private version of one of PostgreSQL's own aggregates; none of any other.
PlainAggregate private_version_of(const Aggref* call) {
  const bool own = call->aggfnoid < FirstUnpinnedObjectId;
  return own ? private_version(get_func_name(call->aggfnoid)) : PlainAggregate{NULL, {}};
}

Aggref* private_call(const Aggref* call, Made* made) {
  *made = Made::plain;
  if (is_dpmix_function(call->aggfnoid)) return dp_call_as_written(call);
  const char* name = get_func_name(call->aggfnoid);
  if (name == NULL || call->aggfnoid >= FirstUnpinnedObjectId) {
    refuse_construct(psprintf("the user-defined aggregate %s is", name != NULL ? name : "?"),
                     there_are());
  }
  check_call(call, name);
  if (strcmp(name, "count") == 0) return count_call(call);
  const PlainAggregate plain = private_version(name);
  if (plain.of == NULL) refuse_aggregate(name);
  *made = plain.name.made;
  if (*made != Made::ordered) return dp_aggregate(plain.of->name, numbers_of(call, name), call);
  *made = Made::plain;
  return ordered_call(call, plain, (Expr*)shares_of(call));
}

Expr* as_float8(Expr* count) {
  return call_builtin(F_FLOAT8_INT8, FLOAT8OID, list_make1(count));
}

// The noisy number n of the same values as n / (n - 1), NULL where n is 1 or less. The variance
// counts them anyway.
Expr* sample_factor(const Aggref* call) {
  const auto count = [&] {
    List* arguments = arguments_of(call);
    const bool pairs = list_length(arguments) == 2;
    return (Expr*)dp_aggregate(pairs ? "dp_regr_count" : "dp_count", arguments, call);
  };
  const auto int8_constant = [](int64 n) {
    return (Expr*)constant(INT8OID, InvalidOid, Int64GetDatum(n));
  };
  Expr* rest = call_builtin(F_INT8MI, INT8OID, list_make2(count(), int8_constant(1)));
  Expr* quotient =
      call_builtin(F_FLOAT8DIV, FLOAT8OID, list_make2(as_float8(count()), as_float8(rest)));
  Expr* several = call_builtin(F_INT8GT, BOOLOID, list_make2(count(), int8_constant(1)));
  return case_when(several, quotient);
}

Expr* product(Expr* a, Expr* b) {
  return call_builtin(F_FLOAT8MUL, FLOAT8OID, list_make2(a, b));
}

Expr* as_type(Expr* value, Oid type) {
  const Oid from = exprType((Node*)value);
  if (from == type) return value;
  Expr* time = from == FLOAT8OID ? time_of_number(value, type) : NULL;
  if (time != NULL) return time;
  Node* cast = coerce_to_target_type(NULL, (Node*)value, from, type, -1, COERCION_EXPLICIT,
                                     COERCE_EXPLICIT_CAST, -1);
  if (cast == NULL)
    elog(ERROR, "no cast from %s to %s", format_type_be(from), format_type_be(type));
  return (Expr*)cast;
}

// The elements of a constant or written array; false: it is neither.
bool elements_of(Node* array, List** elements) {
  if (IsA(array, ArrayExpr) && !((ArrayExpr*)array)->multidims) {
    *elements = ((ArrayExpr*)array)->elements;
    return true;
  }
  if (!is_constant(array)) return false;
  const ArrayElements all = array_elements(array);
  for (int i = 0; i < all.count; i++) {
    Const* one = all.null[i] ? makeNullConst(all.type, -1, InvalidOid)
                             : constant(all.type, InvalidOid, all.value[i]);
    *elements = lappend(*elements, one);
  }
  return ARR_NDIM(DatumGetArrayTypeP(constant_value(array))) <= 1;
}

// percentile_cont(ARRAY[...]): a quantile for each. NULL: it is no such call.
Expr* private_quantiles(const Aggref* call) {
  const PlainAggregate plain = private_version_of(call);
  if (plain.name.made != Made::ordered) return NULL;
  Node* shares = shares_of(call);
  if (exprType(shares) != FLOAT8ARRAYOID) return NULL;
  List* elements = NIL;
  if (!elements_of(shares, &elements)) {
    refuse_construct(psprintf("%s of shares that are no list is", plain.name.name),
                     "Write ARRAY[0.25, 0.5, 0.75], of numbers or parameters.");
  }
  ArrayExpr* made = makeNode(ArrayExpr);
  made->array_typeid = call->aggtype;
  made->element_typeid = get_element_type(call->aggtype);
  made->location = -1;
  ListCell* cell;
  foreach (cell, elements) {
    Expr* share = (Expr*)lfirst(cell);
    const bool missing = IsA(share, Const) && ((Const*)share)->constisnull;
    Expr* quantile = missing
                         ? (Expr*)makeNullConst(made->element_typeid, -1, InvalidOid)
                         : as_type((Expr*)ordered_call(call, plain, share), made->element_typeid);
    made->elements = lappend(made->elements, quantile);
  }
  return (Expr*)made;
}

// An aggregate of one argument over the rows that have the other one, too.
Expr* beside_other(const char* dp, const Aggref* call, int number) {
  List* arguments = arguments_of(call);
  Aggref both = *call;
  Expr* other = is_known((Expr*)list_nth(arguments, 1 - number));
  both.aggfilter = (Expr*)make_and_qual((Node*)call->aggfilter, (Node*)other);
  return (Expr*)dp_aggregate(dp, list_make1(list_nth(arguments, number)), &both);
}

// A sum of n values from what it is on average, NULL where the noisy n is below 1.
Expr* times_pairs(const Aggref* call, Expr* average) {
  const auto count = [&] { return (Expr*)dp_aggregate("dp_regr_count", arguments_of(call), call); };
  Expr* one = (Expr*)constant(INT8OID, InvalidOid, Int64GetDatum(1));
  Expr* some = call_builtin(F_INT8GE, BOOLOID, list_make2(count(), one));
  return case_when(some, product(as_float8(count()), average));
}

// What is made of several private ones, or of one over other rows. NULL: it is no such call.
Expr* private_regression(const Aggref* call) {
  const PlainAggregate plain = private_version_of(call);
  const char *name = plain.name.name, *dp = plain.of != NULL ? plain.of->name.given : NULL;
  enum { y, x };
  const auto of_one = [&](int number) {
    check_call(call, name);
    (void)numbers_of(call, name);
    return beside_other(dp, call, number);
  };
  const auto of_both = [&] {
    check_call(call, name);
    return (Expr*)dp_aggregate(dp, numbers_of(call, name), call);
  };
  switch (plain.name.made) {
    case Made::plain:
    case Made::sample_variance:
    case Made::sample_stddev:
    case Made::ordered:
      return NULL;
    case Made::of_y:
      return of_one(y);
    case Made::of_x:
      return of_one(x);
    case Made::total_of_y:
      return times_pairs(call, of_one(y));
    case Made::total_of_x:
      return times_pairs(call, of_one(x));
    case Made::total:
      return times_pairs(call, of_both());
    case Made::square:
      return product(of_both(), of_both());
  }
  return NULL;
}

Node* without_casts(Node* node) {
  for (;;) {
    if (IsA(node, NamedArgExpr)) {
      node = (Node*)((NamedArgExpr*)node)->arg;
    } else if (IsA(node, RelabelType)) {
      node = (Node*)((RelabelType*)node)->arg;
    } else if (IsA(node, FuncExpr) && ((FuncExpr*)node)->funcformat != COERCE_EXPLICIT_CALL &&
               list_length(((FuncExpr*)node)->args) == 1) {
      node = (Node*)linitial(((FuncExpr*)node)->args);
    } else {
      return node;
    }
  }
}

Node* over_private_values(Node* node, void* arg) {
  if (node == NULL) return NULL;
  if (IsA(node, Aggref)) return (Node*)private_value((Expr*)node);
  return mutate_expression(node, over_private_values, arg);
}

// NULL: it is made of several.
Expr* plain_aggregate(const Aggref* call) {
  if (private_quantiles(call) != NULL || private_regression(call) != NULL) return NULL;
  Made made;
  Aggref* aggregate = private_call(call, &made);
  return made == Made::plain ? (Expr*)aggregate : NULL;
}

// An aggregate itself, without the cast to the type of PostgreSQL's own; or an expression over
// several.
Expr* measured_value(const FuncExpr* call) {
  Node* argument = without_casts((Node*)linitial(call->args));
  Expr* value = IsA(argument, Aggref) ? plain_aggregate((Aggref*)argument) : NULL;
  if (value == NULL) value = (Expr*)over_private_values(argument, NULL);
  const Oid type = exprType((Node*)value);
  const bool known = type == INT8OID || type == FLOAT8OID || type == INT8ARRAYOID;
  return known ? value : as_type(value, FLOAT8OID);
}

Expr* private_interval_end(const FuncExpr* call) {
  Expr* value = measured_value(call);
  const Oid of = exprType((Node*)value);
  const Oid types[] = {of == INT8ARRAYOID ? of : (Oid)ANYOID, FLOAT8OID};
  const bool low = strstr(get_func_name(call->funcid), "low") != NULL;
  FuncExpr* end = (FuncExpr*)copyObjectImpl(call);
  end->funcid = dp_function(low ? "dp_low" : "dp_high", 2, types);
  linitial(end->args) = value;
  return as_type((Expr*)end, call->funcresulttype);
}

}  // namespace

bool is_interval_end(Oid function) {
  if (!is_dpmix_function(function)) return false;
  const char* name = get_func_name(function);
  constexpr const char* kEnds[] = {"dp_low", "dp_high", "low", "high"};
  for (const char* end : kEnds) {
    if (name != NULL && strcmp(name, end) == 0) return true;
  }
  return false;
}

bool is_interval_of_aggregates(const Node* node, int depth) {
  if (!IsA(node, FuncExpr)) return false;
  const FuncExpr* call = (const FuncExpr*)node;
  return call->args != NIL && is_interval_end(call->funcid) &&
         contain_aggs_of_level((Node*)linitial(call->args), depth);
}

Expr* private_value(const Expr* call) {
  if (IsA(call, FuncExpr)) return private_interval_end((const FuncExpr*)call);
  const Aggref* aggregate = (const Aggref*)call;
  for (Expr* value : {private_quantiles(aggregate), private_regression(aggregate)}) {
    if (value != NULL) return as_type(value, aggregate->aggtype);
  }
  Made made;
  Expr* value = (Expr*)private_call(aggregate, &made);
  if (made == Made::sample_variance) value = product(value, sample_factor(aggregate));
  if (made == Made::sample_stddev) {
    value = product(value, call_builtin(F_DSQRT, FLOAT8OID, list_make1(sample_factor(aggregate))));
  }
  return as_type(value, aggregate->aggtype);
}

}  // namespace dpmix::pg
