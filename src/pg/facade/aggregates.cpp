#include "pg/facade/aggregates.hpp"

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
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr const char* kThereAre =
    "There are count, sum, avg, var_*, stddev_*, covar_*, corr, regr_count, regr_slope, "
    "regr_intercept, percentile_cont, percentile_disc and count(DISTINCT x).";

enum class Made { plain, sample_variance, sample_stddev };

constexpr struct {
  const char *name, *dp;
  Made made = Made::plain;
} kPrivate[] = {
    {"sum", "dp_sum"},
    {"avg", "dp_avg"},
    {"var_pop", "dp_var"},
    {"stddev_pop", "dp_stddev"},
    {"var_samp", "dp_var", Made::sample_variance},
    {"variance", "dp_var", Made::sample_variance},
    {"stddev_samp", "dp_stddev", Made::sample_stddev},
    {"stddev", "dp_stddev", Made::sample_stddev},
    {"covar_pop", "dp_covar"},
    {"covar_samp", "dp_covar", Made::sample_variance},
    {"corr", "dp_corr"},
    {"regr_count", "dp_regr_count"},
    {"regr_slope", "dp_regr_slope"},
    {"regr_intercept", "dp_regr_intercept"},
};

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

// Its text names it and the argument as the caller wrote it: parse analysis chooses the version.
Aggref* dp_aggregate(const char* name, List* arguments, const Aggref* call) {
  constexpr Oid kAny[] = {ANYOID, ANYOID}, kNumber[] = {FLOAT8OID, FLOAT8OID};
  const bool count = strncmp(name, "dp_count", 8) == 0 || strcmp(name, "dp_regr_count") == 0;
  const bool quantile = strcmp(name, "dp_quantile") == 0;
  const int given = list_length(arguments);
  const Oid function =
      dp_function(name, given, count || (given == 2 && !quantile) ? kAny : kNumber);
  Aggref* made = aggregate_call(function, count ? INT8OID : FLOAT8OID, arguments);
  made->aggfilter = (Expr*)copyObjectImpl(call->aggfilter);
  return made;
}

// As the caller wrote it: parse analysis of the text adds the casts that it needs.
Expr* as_written(Expr* argument) {
  return (Expr*)strip_implicit_coercions((Node*)copyObjectImpl(argument));
}

Expr* argument_of(const Aggref* call, int number = 0) {
  return as_written(list_nth_node(TargetEntry, call->args, number)->expr);
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

Expr* number_of(const Aggref* call, const char* name, int number = 0) {
  Expr* argument = argument_of(call, number);
  const Oid type = exprType((Node*)argument);
  if (is_number_type(type)) return argument;
  refuse_construct(psprintf("%s of %s is", name, format_type_be(type)), "Aggregate a number.");
}

// ORDER BY x DESC counts from above.
Expr* share_of(const Aggref* call, const char* name) {
  Expr* share = (Expr*)eval_const_expressions(NULL, (Node*)linitial(call->aggdirectargs));
  if (exprType((Node*)share) != FLOAT8OID) {
    refuse_construct(
        psprintf("%s of several shares at once is", name),
        psprintf("Write one %s for each: in one query they cost what one costs.", name));
  }
  const SortGroupClause* order = linitial_node(SortGroupClause, call->aggorder);
  const Oid type = exprType((Node*)linitial_node(TargetEntry, call->args)->expr);
  if (order->sortop != order_operator(type, BTGreaterStrategyNumber)) return share;
  Expr* rest = call_builtin(F_FLOAT8MI, FLOAT8OID, list_make2(float8_constant(1), share));
  return (Expr*)eval_const_expressions(NULL, (Node*)rest);
}

[[noreturn]] void refuse_aggregate(const char* name) {
  const bool least = strcmp(name, "min") == 0;
  const char* instead = kThereAre;
  if (least || strcmp(name, "max") == 0) {
    instead = psprintf(
        "Write percentile_disc(%s) WITHIN GROUP (ORDER BY x): the extreme itself is "
        "the value of one row.",
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
  if (AGGKIND_IS_ORDERED_SET(call->aggkind) && strncmp(name, "percentile_", 11) != 0) {
    refuse_aggregate(name);
  }
}

Aggref* count_call(const Aggref* call) {
  if (call->aggstar) return dp_aggregate("dp_count", NIL, call);
  const char* name = call->aggdistinct != NIL ? "dp_count_distinct" : "dp_count";
  return dp_aggregate(name, list_make1(argument_of(call)), call);
}

Aggref* private_call(const Aggref* call, Made* made) {
  *made = Made::plain;
  if (is_dpmix_function(call->aggfnoid)) return dp_call_as_written(call);
  const char* name = get_func_name(call->aggfnoid);
  if (name == NULL || call->aggfnoid >= FirstUnpinnedObjectId) {
    refuse_construct(psprintf("the user-defined aggregate %s is", name != NULL ? name : "?"),
                     kThereAre);
  }
  check_call(call, name);
  if (strcmp(name, "count") == 0) return count_call(call);
  if (strncmp(name, "percentile_", 11) == 0) {
    Expr* number = number_of(call, name);
    return dp_aggregate("dp_quantile", list_make2(number, share_of(call, name)), call);
  }
  for (const auto& known : kPrivate) {
    if (strcmp(name, known.name) != 0) continue;
    *made = known.made;
    List* arguments = NIL;
    for (int i = 0; i < list_length(call->args); i++) {
      arguments = lappend(arguments, number_of(call, name, i));
    }
    return dp_aggregate(known.dp, arguments, call);
  }
  refuse_aggregate(name);
}

Expr* as_float8(Expr* count) {
  return call_builtin(F_FLOAT8_INT8, FLOAT8OID, list_make1(count));
}

// The noisy number n of the same values as n / (n - 1), NULL where n is 1 or less. The variance
// counts them anyway.
Expr* sample_factor(const Aggref* call) {
  const bool pairs = list_length(call->args) == 2;
  const auto count = [&] {
    List* arguments = list_make1(argument_of(call));
    if (pairs) arguments = lappend(arguments, argument_of(call, 1));
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
  Node* cast = coerce_to_target_type(NULL, (Node*)value, from, type, -1, COERCION_EXPLICIT,
                                     COERCE_EXPLICIT_CAST, -1);
  if (cast == NULL)
    elog(ERROR, "no cast from %s to %s", format_type_be(from), format_type_be(type));
  return (Expr*)cast;
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

Expr* private_interval_end(const FuncExpr* call) {
  Made made;
  Aggref* aggregate = private_call((Aggref*)without_casts((Node*)linitial(call->args)), &made);
  if (made != Made::plain) {
    refuse_construct("dp_low or dp_high of a sample variance is",
                     "Write var_pop, stddev_pop or covar_pop.");
  }
  const Oid types[] = {aggregate->aggtype, FLOAT8OID};
  const char* name = get_func_name(call->funcid);
  FuncExpr* end = (FuncExpr*)copyObjectImpl(call);
  end->funcid = dp_function(name, 2, types);
  linitial(end->args) = aggregate;
  return as_type((Expr*)end, call->funcresulttype);
}

}  // namespace

bool is_interval_end(Oid function) {
  if (!is_dpmix_function(function)) return false;
  const char* name = get_func_name(function);
  return name != NULL && (strcmp(name, "dp_low") == 0 || strcmp(name, "dp_high") == 0);
}

bool is_interval_of_aggregate(const Node* node, Aggref** aggregate) {
  if (!IsA(node, FuncExpr)) return false;
  const FuncExpr* call = (const FuncExpr*)node;
  if (call->args == NIL || !is_interval_end(call->funcid)) return false;
  Node* inner = without_casts((Node*)linitial(call->args));
  if (!IsA(inner, Aggref)) return false;
  *aggregate = (Aggref*)inner;
  return true;
}

Expr* private_value(const Expr* call) {
  if (IsA(call, FuncExpr)) return private_interval_end((const FuncExpr*)call);
  const Aggref* aggregate = (const Aggref*)call;
  Made made;
  Expr* value = (Expr*)private_call(aggregate, &made);
  if (made == Made::sample_variance) value = product(value, sample_factor(aggregate));
  if (made == Made::sample_stddev) {
    value = product(value, call_builtin(F_DSQRT, FLOAT8OID, list_make1(sample_factor(aggregate))));
  }
  return as_type(value, aggregate->aggtype);
}

}  // namespace dpmix::pg
