#include "pg/query/layers/parts.hpp"

#include <cmath>

#include "pg/border/guard.hpp"
#include "pg/query/layers/sub_links.hpp"
#include "pg/query/layers/summed.hpp"
#include "pg/query/safe/choices.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

enum class Kind {
  count,
  sum,
  avg,
  extreme,
  truth,
  variance,
  deviation,
  number,
  share,
  tile,
  value
};

// Sums are exact, whatever the order of rows: of whole numbers, or of decimals.
struct Known {
  const char* name;
  Kind kind;
  Oid over_whole, over_decimal;  // functions of sums; 0: it is none
  bool window;                   // whether it is for windows alone
};

constexpr Known kKnown[] = {
    {"count", Kind::count, 0, 0, false},
    {"sum", Kind::sum, F_SUM_INT8, F_SUM_NUMERIC, false},
    {"avg", Kind::avg, F_AVG_INT8, F_AVG_NUMERIC, false},
    {"min", Kind::extreme, 0, 0, false},
    {"max", Kind::extreme, 0, 0, false},
    {"bool_and", Kind::truth, 0, 0, false},
    {"bool_or", Kind::truth, 0, 0, false},
    {"every", Kind::truth, 0, 0, false},
    {"variance", Kind::variance, F_VAR_SAMP_INT8, F_VAR_SAMP_NUMERIC, false},
    {"var_samp", Kind::variance, F_VAR_SAMP_INT8, F_VAR_SAMP_NUMERIC, false},
    {"var_pop", Kind::variance, F_VAR_POP_INT8, F_VAR_POP_NUMERIC, false},
    {"stddev", Kind::deviation, F_STDDEV_SAMP_INT8, F_STDDEV_SAMP_NUMERIC, false},
    {"stddev_samp", Kind::deviation, F_STDDEV_SAMP_INT8, F_STDDEV_SAMP_NUMERIC, false},
    {"stddev_pop", Kind::deviation, F_STDDEV_POP_INT8, F_STDDEV_POP_NUMERIC, false},
    {"row_number", Kind::number, 0, 0, true},
    {"rank", Kind::number, 0, 0, true},
    {"dense_rank", Kind::number, 0, 0, true},
    {"percent_rank", Kind::share, 0, 0, true},
    {"cume_dist", Kind::share, 0, 0, true},
    {"ntile", Kind::tile, 0, 0, true},
    {"lag", Kind::value, 0, 0, true},
    {"lead", Kind::value, 0, 0, true},
    {"first_value", Kind::value, 0, 0, true},
    {"last_value", Kind::value, 0, 0, true},
    {"nth_value", Kind::value, 0, 0, true},
};

const Known* known_function(Oid function) {
  const char* name = function < FirstUnpinnedObjectId ? get_func_name(function) : NULL;
  for (const Known& known : kKnown) {
    if (name != NULL && strcmp(known.name, name) == 0) return &known;
  }
  return NULL;
}

const Known* require_known(Oid function) {
  const Known* known = known_function(function);
  if (known != NULL) return known;
  const char* name = get_func_name(function);
  const bool own = name != NULL && strncmp(name, "dp_", 3) == 0;
  refuse_construct(
      psprintf("%s over the rows of one person is", name != NULL ? name : "this function"),
      own ? "In a sub-select write plain aggregates: count, sum, avg; dp_* are asked above it."
          : "In a sub-select there are count, sum, avg, min, max, bool_and, bool_or, variance, "
            "stddev, and as window functions row_number, rank, dense_rank, percent_rank, "
            "cume_dist, ntile, lag, lead, first_value, last_value and nth_value.");
}

ValueInterval times_rows(const ValueInterval& each, double rows) {
  return {std::fmin(each.lower, rows * each.lower), std::fmax(each.upper, rows * each.upper),
          each.integral};
}

// A float8, which the bounds hold where they are asked for.
SafePart float_part(const SafeCompiler* compiler, Expr* value, const ValueInterval& range) {
  if (compiler->bounded() && range.finite()) {
    value =
        call_dpmix("total_clamp", FLOAT8OID,
                   list_make3(value, float8_constant(range.lower), float8_constant(range.upper)));
  }
  return number_part(value, range);
}

// A whole number of type bigint or integer.
SafePart whole_part(const SafeCompiler* compiler, Expr* value, double lower, double upper) {
  const ValueInterval range = {lower, upper, true};
  if (compiler->bounded()) return float_part(compiler, as_float8(value), range);
  SafePart part = plain_part(value);
  part.range = range;
  return part;
}

ValueInterval range_of_moment(Kind kind, const ValueInterval& each, double rows) {
  const double width = each.upper - each.lower;
  switch (kind) {
    case Kind::sum:
      return times_rows(each, rows);
    case Kind::variance:
      return {0, width * width / 2, false};
    case Kind::deviation:
      return {0, width / std::sqrt(2), false};
    default:
      return {each.lower, each.upper, false};
  }
}

bool is_sum(Kind kind) {
  return kind == Kind::sum || kind == Kind::avg;
}

Oid extreme_of_floats(const Known* known) {
  return strcmp(known->name, "min") == 0 ? F_MIN_FLOAT8 : F_MAX_FLOAT8;
}

bool is_moment_kind(Kind kind) {
  return kind == Kind::sum || kind == Kind::avg || kind == Kind::variance ||
         kind == Kind::deviation;
}

// Aggregates --------------------------------------------------------------------------------------

// The facts of what an aggregate is computed of: its FILTER, and not those of CASE around it, which
// are about the row or group that it is shown with.
template <class Compile>
auto of_filtered(const LayerQuery* level, const Expr* filter, const Compile& compile) {
  List* facts = filter != NULL ? joined_by_and((Node*)copyObjectImpl(filter)) : NIL;
  return under_facts(level, facts, compile);
}

void take_distinct(Aggref* made, const Aggref* call) {
  if (call->aggdistinct == NIL) return;
  TargetEntry* argument = linitial_node(TargetEntry, made->args);
  const Node* value = (const Node*)argument->expr;
  if (!may_be_key(exprType(value), exprCollation(value))) {
    refuse_construct("DISTINCT values of this type or collation are",
                     "Use a number, text, boolean, date, time stamp, uuid or enum.");
  }
  argument->ressortgroupref = 1;
  made->aggdistinct = list_make1(sort_clause(exprType(value), 1));
}

SafePart moment_part(const SafeCompiler* compiler, const LayerQuery* level, const Aggref* call,
                     const Known* known) {
  Node* of = (Node*)linitial_node(TargetEntry, call->args)->expr;
  const SummedArgument argument = of_filtered(level, call->aggfilter, [&] {
    return summed_argument(level, of, known->name, is_sum(known->kind));
  });
  Aggref* made = aggregate_call(argument.whole ? known->over_whole : known->over_decimal,
                                NUMERICOID, list_make1(argument.value));
  made->aggfilter =
      without_nan((const Expr*)safe_condition(level, (Node*)call->aggfilter), argument.number);
  return float_part(compiler, rounded((Expr*)made, argument.unit),
                    range_of_moment(known->kind, argument.range, (double)level->most));
}

SafePart extreme_part(SafeCompiler* compiler, const LayerQuery* level, const Aggref* call,
                      const Known* known) {
  TargetEntry* argument = linitial_node(TargetEntry, call->args);
  const SafePart part = of_filtered(level, call->aggfilter,
                                    [&] { return safe_part(compiler, (Node*)argument->expr); });
  Expr* filter = (Expr*)safe_condition(level, (Node*)call->aggfilter);
  if (part.recompiled) {
    Aggref* made = aggregate_call(extreme_of_floats(known), FLOAT8OID, list_make1(part.value));
    made->aggfilter = filter;
    return number_part((Expr*)made, part.range);
  }
  Aggref* made = (Aggref*)copyObjectImpl(call);
  linitial_node(TargetEntry, made->args)->expr = part.value;
  made->aggfilter = filter;
  SafePart extreme = plain_part((Expr*)made);
  extreme.range = part.range;
  return extreme;
}

// The most a call counts: no more different values than there are, where all of them are declared.
double most_counted(const LayerQuery* level, const Aggref* call) {
  const double rows = (double)level->most;
  if (call->aggdistinct == NIL) return rows;
  const Var* column = bare_column((const Node*)linitial_node(TargetEntry, call->args)->expr);
  const int declared = column != NULL ? domain_of(level, column).categories : 0;
  return declared > 0 ? Min(rows, declared) : rows;
}

SafePart aggregate_part(SafeCompiler* compiler, const LayerQuery* level, const Aggref* call) {
  const Known* known = require_known(call->aggfnoid);
  if (known->window || call->agglevelsup != 0) refuse_construct("an outer aggregate is", kTables);
  if (call->aggorder != NIL) refuse_construct("ORDER BY in an aggregate is", "Leave it out.");
  if (call->aggdistinct != NIL && known->kind != Kind::count) {
    refuse_construct("DISTINCT in an aggregate other than count is", "Leave it out.");
  }
  if (is_moment_kind(known->kind)) return moment_part(compiler, level, call, known);
  if (known->kind == Kind::extreme) return extreme_part(compiler, level, call, known);
  Aggref* made = (Aggref*)copyObjectImpl(call);
  made->aggfilter = (Expr*)safe_condition(level, (Node*)call->aggfilter);
  if (!call->aggstar) {
    TargetEntry* argument = linitial_node(TargetEntry, made->args);
    argument->expr = safe_value(level, (Node*)argument->expr);
  }
  if (known->kind == Kind::truth) return plain_part((Expr*)made);
  if (!call->aggstar) {
    Expr* value = linitial_node(TargetEntry, made->args)->expr;
    made->aggargtypes = list_make1_oid(exprType((const Node*)value));
  }
  take_distinct(made, call);
  const bool at_least_one =
      call->aggstar && call->aggfilter == NULL && level->query->groupClause != NIL;
  return whole_part(compiler, (Expr*)made, at_least_one ? 1 : 0, most_counted(level, call));
}

// Window functions --------------------------------------------------------------------------------

int require_number(const Node* node, int least, const char* what) {
  const Const* given = node != NULL && IsA(node, Const) ? (const Const*)node : NULL;
  const int64 number = given == NULL || given->constisnull ? -1
                       : given->consttype == INT8OID       ? DatumGetInt64(given->constvalue)
                                                           : DatumGetInt32(given->constvalue);
  if (number >= least) return (int)number;
  refuse_construct(psprintf("%s that is no constant from %d on is", what, least),
                   "Write it as a number.");
}

WindowFunc* window_over(const WindowFunc* call, Oid function, Oid result, List* arguments) {
  WindowFunc* made = (WindowFunc*)copyObjectImpl(call);
  made->winfnoid = function;
  made->wintype = result;
  made->args = arguments;
  made->aggfilter = NULL;
  return made;
}

SafePart value_part(SafeCompiler* compiler, const WindowFunc* call, const Known* known) {
  SafePart first = safe_part(compiler, (Node*)linitial(call->args));
  List* arguments = list_make1(first.value);
  const bool nth = strcmp(known->name, "nth_value") == 0;
  if (list_length(call->args) > 1) {
    (void)require_number((Node*)lsecond(call->args), nth ? 1 : 0, "an offset");
    arguments = lappend(arguments, copyObjectImpl(lsecond(call->args)));
  }
  if (list_length(call->args) > 2) {
    SafePart other = safe_part(compiler, (Node*)lthird(call->args));
    if (first.recompiled != other.recompiled) {
      first = number_part(number_of(&first), first.range);
      other = number_part(number_of(&other), other.range);
      linitial(arguments) = first.value;
    }
    arguments = lappend(arguments, other.value);
    first.range = {std::fmin(first.range.lower, other.range.lower),
                   std::fmax(first.range.upper, other.range.upper),
                   first.range.integral && other.range.integral};
  }
  const Oid result = exprType((const Node*)first.value);
  WindowFunc* made = window_over(call, call->winfnoid, result, arguments);
  if (first.recompiled) return number_part((Expr*)made, first.range);
  SafePart part = plain_part((Expr*)made);
  part.range = first.range;
  return part;
}

// An aggregate of the rows of a frame.
SafePart framed_part(SafeCompiler* compiler, const LayerQuery* level, const WindowFunc* call,
                     const Known* known) {
  const double most = (double)level->most;
  Node* argument = call->args != NIL ? (Node*)linitial(call->args) : NULL;
  Expr* filter = (Expr*)safe_condition(level, (Node*)call->aggfilter);
  if (is_moment_kind(known->kind)) {
    const SummedArgument bounded = of_filtered(level, call->aggfilter, [&] {
      return summed_argument(level, argument, known->name, is_sum(known->kind));
    });
    WindowFunc* made = window_over(call, bounded.whole ? known->over_whole : known->over_decimal,
                                   NUMERICOID, list_make1(bounded.value));
    made->aggfilter = without_nan(filter, bounded.number);
    return float_part(compiler, rounded((Expr*)made, bounded.unit),
                      range_of_moment(known->kind, bounded.range, most));
  }
  if (known->kind == Kind::extreme) {
    const SafePart part =
        of_filtered(level, call->aggfilter, [&] { return safe_part(compiler, argument); });
    WindowFunc* made =
        window_over(call, part.recompiled ? extreme_of_floats(known) : call->winfnoid,
                    exprType((const Node*)part.value), list_make1(part.value));
    made->aggfilter = filter;
    if (part.recompiled) return number_part((Expr*)made, part.range);
    SafePart extreme = plain_part((Expr*)made);
    extreme.range = part.range;
    return extreme;
  }
  List* arguments = argument != NULL ? list_make1(safe_value(level, argument)) : NIL;
  WindowFunc* made = window_over(call, call->winfnoid, call->wintype, arguments);
  made->aggfilter = filter;
  if (known->kind == Kind::truth) return plain_part((Expr*)made);
  return whole_part(compiler, (Expr*)made, 0, most);
}

SafePart window_part(SafeCompiler* compiler, const LayerQuery* level, const WindowFunc* call) {
  const Known* known = require_known(call->winfnoid);
  const double most = (double)level->most;
  switch (known->kind) {
    case Kind::number:
      return whole_part(compiler, (Expr*)copyObjectImpl(call), 1, most);
    case Kind::share:
      return float_part(compiler, (Expr*)copyObjectImpl(call), {0, 1, false});
    case Kind::tile: {
      const int tiles = require_number((Node*)linitial(call->args), 1, "a number of tiles");
      return whole_part(compiler, (Expr*)copyObjectImpl(call), 1, tiles);
    }
    case Kind::value:
      return value_part(compiler, call, known);
    default:
      return framed_part(compiler, level, call, known);
  }
}

}  // namespace

bool layer_part(SafeCompiler* compiler, Node* node, SafePart* made) {
  const LayerQuery* level = static_cast<const LayerQuery*>(compiler->scope);
  const auto part = [&](const auto& compile) {
    *made = under_facts(level, NIL, compile);
    return true;
  };
  switch (nodeTag(node)) {
    case T_Aggref:
      return part([&] { return aggregate_part(compiler, level, (const Aggref*)node); });
    case T_WindowFunc:
      return part([&] { return window_part(compiler, level, (const WindowFunc*)node); });
    case T_SubLink:
      return part([&] { return sub_link_part(compiler, level, (const SubLink*)node); });
    default:
      return false;
  }
}

const Var* same_values(const LayerQuery* level, const Node* expression) {
  const Node* argument = NULL;
  const Expr* filter = NULL;
  if (IsA(expression, Aggref)) {
    const Aggref* call = (const Aggref*)expression;
    const Known* known = known_function(call->aggfnoid);
    if (known == NULL || known->kind != Kind::extreme) return NULL;
    argument = (const Node*)linitial_node(TargetEntry, call->args)->expr;
    filter = call->aggfilter;
  } else if (IsA(expression, WindowFunc)) {
    const WindowFunc* call = (const WindowFunc*)expression;
    const Known* known = known_function(call->winfnoid);
    const bool picks =
        known != NULL && (known->kind == Kind::extreme || known->kind == Kind::value);
    if (!picks || list_length(call->args) > 2) return NULL;
    argument = (const Node*)linitial(call->args);
    filter = call->aggfilter;
  } else {
    argument = expression;
  }
  const Var* column = bare_column(argument);
  const bool here = column != NULL && column->varlevelsup == 0 && column->varattno > 0 &&
                    item_of(level, (Index)column->varno) != NULL;
  if (!here) return NULL;
  // Those that FILTER leaves have bounds of their own.
  return filter != NULL && domain_of(level, column).by != NULL ? NULL : column;
}

bool is_count_of_rows(const Node* expression) {
  const Known* known =
      IsA(expression, Aggref)       ? known_function(((const Aggref*)expression)->aggfnoid)
      : IsA(expression, WindowFunc) ? known_function(((const WindowFunc*)expression)->winfnoid)
                                    : NULL;
  return known != NULL && (known->kind == Kind::count || known->kind == Kind::number);
}

}  // namespace dpmix::pg
