#include "pg/query/check/aggregates.hpp"

#include <utility>

#include "core/input/edge_cells.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "rewrite/rewriteManip.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

const Const* constant_argument(const Aggref* call, const char* name) {
  const Node* argument = (const Node*)lsecond_node(TargetEntry, call->args)->expr;
  if (IsA(argument, Const)) return (const Const*)argument;
  refuse_construct(
      psprintf("%s that are computed from rows in %s are", name, get_func_name(call->aggfnoid)),
      "Write constants, or pass them as $1 with params.");
}

[[noreturn]] void bad_probability(const char* detail) {
  refuse_argument("p of a quantile must be between 0 and 1", detail,
                  "dp_quantile(x, 0.9) is the value that 90% of the rows do not exceed.");
}

double probability_of(const Aggref* call) {
  const Const* given = constant_argument(call, "probabilities");
  if (given->constisnull) bad_probability("p is NULL.");
  const double p = DatumGetFloat8(given->constvalue);
  if (!(p >= 0 && p <= 1)) bad_probability(psprintf("p is %.17g.", p));
  return p + 0.0;  // -0 is 0
}

void read_edges(const Aggref* call, QueryAggregate* aggregate) {
  const Const* given = constant_argument(call, "edges");
  ArrayType* array = given->constisnull ? NULL : DatumGetArrayTypeP(given->constvalue);
  if (array == NULL || ARR_NDIM(array) != 1 || array_contains_nulls(array)) {
    refuse_argument("invalid edges of a histogram",
                    "They are NULL, hold a NULL, or are no list of numbers.",
                    "Write dp_histogram(x, '{0,10,20}'): 2 to 1000 ascending edges.");
  }
  aggregate->edges = ARR_DIMS(array)[0];
  aggregate->edge = (const double*)ARR_DATA_PTR(array);
  guard([&] { check_edges({aggregate->edge, (std::size_t)aggregate->edges}); });
}

// PostgreSQL's aggregates that no private one is a version of, and what to ask in their place.
constexpr struct {
  const char *name, *instead;
} kInstead[] = {
    {"min", "An extreme is one row's own value. Use dp_quantile(x, 0.01), which 1% do not exceed."},
    {"max", "An extreme is one row's own value. Use dp_quantile(x, 0.99), which 1% exceed."},
    {"mode", "Use dp_count(*) with GROUP BY x, ORDER BY it and LIMIT 1."},
    {"bool_and", "Use dp_avg((condition)::int), the share of rows for which it is true."},
    {"bool_or", "Use dp_avg((condition)::int), the share of rows for which it is true."},
    {"every", "Use dp_avg((condition)::int), the share of rows for which it is true."},
    {"array_agg", "It returns rows themselves. Use dp_histogram(x, edges), or GROUP BY x."},
    {"string_agg", "It returns rows themselves. Use dp_count(*) with GROUP BY x."},
};

const char* hint_at(const PlainAggregate& plain) {
  const char* call = call_text(plain.of);
  switch (plain.name.made) {
    case Made::plain:
    case Made::sample_variance:
    case Made::sample_stddev:
      return plain.name.that_is == NULL ? psprintf("Use %s.", call)
                                        : psprintf("Use %s, %s.", call, plain.name.that_is);
    case Made::square:
      return psprintf("Use %s ^ 2.", call);
    case Made::ordered:
      return psprintf("Use %s(x, 0.5) or dp_median(x).", plain.of->name.given);
    case Made::of_y:
    case Made::of_x:
    case Made::total_of_y:
    case Made::total_of_x:
    case Made::total:
      return NULL;
  }
  return NULL;
}

const char* instead_of(const Aggref* call, const char* name) {
  if (strcmp(name, "count") == 0) {
    return call->aggdistinct != NIL ? "Use dp_count_distinct(x)."
                                    : "Use dp_count(*) or dp_count(x).";
  }
  for (const auto& known : kInstead) {
    if (strcmp(name, known.name) == 0) return known.instead;
  }
  const PlainAggregate plain = private_version(name);
  const char* hint = plain.of != NULL ? hint_at(plain) : NULL;
  if (hint != NULL) return hint;
  const char* all = listed_names([](const Aggregate& row) { return row.suggested; }, " or ");
  return psprintf("Use %s.", all);
}

// PV002: a number is not constant; PV005: it is out of range.
void read_numbers(const Aggref* call, QueryAggregate* aggregate) {
  const Aggregate* row = aggregate->row;
  if (row->takes == Takes::share) aggregate->probability = probability_of(call);
  if (row->takes == Takes::edges) read_edges(call, aggregate);
  if (row->same_as == NULL) return;
  aggregate->row = row->same_as;
  aggregate->probability = row->share;
}

QueryAggregate aggregate_of(const Aggref* call) {
  const char* name = get_func_name(call->aggfnoid);
  if (name == NULL) name = "?";
  if (!is_dpmix_function(call->aggfnoid) || strncmp(name, "dp_", 3) != 0) {
    refuse_construct(psprintf("the aggregate %s is", name), instead_of(call, name));
  }
  if (call->aggdistinct != NIL) {
    refuse_construct("DISTINCT in an aggregate is",
                     "Aggregate all rows, or use dp_count_distinct(x).");
  }
  if (call->aggorder != NIL) refuse_construct("ORDER BY in an aggregate is", "Leave it out.");
  if (call->agglevelsup != 0) refuse_construct("an outer aggregate is", kTables);
  const Aggregate* row = aggregate_named(name, call->aggstar);
  if (row == NULL) elog(ERROR, "aggregate %s is of no known kind", name);
  QueryAggregate aggregate = {row, name, call->aggtype, NULL, (Node*)call->aggfilter};
  if (call->aggstar) return aggregate;
  aggregate.argument = linitial_node(TargetEntry, call->args)->expr;
  read_numbers(call, &aggregate);
  if (row->takes == Takes::pair || row->takes == Takes::line) {
    aggregate.second = lsecond_node(TargetEntry, call->args)->expr;
    aggregate.second_first = row->takes == Takes::line;
    if (aggregate.second_first) std::swap(aggregate.argument, aggregate.second);
  }
  return aggregate;
}

constexpr double kDefaultLevel = 0.95;

double constant_level(const Node* level) {
  if (level == NULL) return kDefaultLevel;
  if (!IsA(level, Const)) {
    refuse_construct("an interval whose level is not a constant is",
                     "Write the level as a number between 0 and 1, or pass it as $1 with params.");
  }
  if (((const Const*)level)->constisnull) {
    refuse_argument("level must not be NULL",
                    "The level of an interval lies between 0 and 1, both excluded.",
                    "Leave it out for 0.95.");
  }
  return DatumGetFloat8(((const Const*)level)->constvalue);
}

// dp_low or dp_high, of dpmix.
bool is_interval_end(const Node* node, ReleasedEnd* end) {
  if (!IsA(node, FuncExpr)) return false;
  const Oid function = ((const FuncExpr*)node)->funcid;
  const char* name = get_func_name(function);
  if (name == NULL || !is_dpmix_function(function)) {
    return false;
  }
  *end = strcmp(name, "dp_low") == 0 ? ReleasedEnd::low : ReleasedEnd::high;
  return *end == ReleasedEnd::low || strcmp(name, "dp_high") == 0;
}

struct IntervalArguments {
  const Node* answer;
  double level;
};

IntervalArguments interval_arguments(const FuncExpr* call) {
  const Node *answer = NULL, *given = NULL;
  int position = 0;
  ListCell* cell;
  foreach (cell, call->args) {
    const Node* argument = (const Node*)lfirst(cell);
    int parameter = position++;
    if (IsA(argument, NamedArgExpr)) {
      parameter = ((const NamedArgExpr*)argument)->argnumber;
      argument = (const Node*)((const NamedArgExpr*)argument)->arg;
    }
    (parameter == 0 ? answer : given) = argument;
  }
  if (!contain_aggs_of_level((Node*)answer, 0)) {
    refuse_construct("dp_low or dp_high of something other than dp_* aggregates is",
                     "Write dp_low(dp_count(*), 0.95): what is answered, then the level.");
  }
  return {answer, constant_level(given)};
}

}  // namespace

bool same_numbers(const QueryAggregate& a, const QueryAggregate& b) {
  return a.probability == b.probability && a.edges == b.edges &&
         (a.edges == 0 || memcmp(a.edge, b.edge, sizeof(double) * a.edges) == 0);
}

bool read_released_call(const Node* node, QueryAggregate* aggregate, ReleasedValue* value) {
  *value = {-1, ReleasedEnd::answer, 0, InvalidOid};
  if (IsA(node, Aggref)) {
    *aggregate = aggregate_of((const Aggref*)node);
    value->type = aggregate->type;
    return true;
  }
  if (!is_interval_end(node, &value->end)) return false;
  const IntervalArguments arguments = interval_arguments((const FuncExpr*)node);
  if (!IsA(arguments.answer, Aggref)) return false;
  value->level = arguments.level;
  *aggregate = aggregate_of((const Aggref*)arguments.answer);
  value->type = aggregate->row->is_number() ? FLOAT8OID : FLOAT8ARRAYOID;
  return true;
}

const Expr* read_interval_of_expression(const Node* node, ReleasedValue* value) {
  *value = {-1, ReleasedEnd::answer, 0, FLOAT8OID};
  if (!is_interval_end(node, &value->end)) return NULL;
  const IntervalArguments arguments = interval_arguments((const FuncExpr*)node);
  if (IsA(arguments.answer, Aggref)) return NULL;
  value->level = arguments.level;
  return (const Expr*)arguments.answer;
}

}  // namespace dpmix::pg
