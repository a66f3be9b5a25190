#include "pg/query/check/aggregates.hpp"

#include <utility>

#include "core/input/edge_cells.hpp"
#include "pg/border/guard.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr struct {
  const char* name;
  AggregateKind kind;
} kKinds[] = {
    {"dp_count", AggregateKind::count_values},
    {"dp_count_distinct", AggregateKind::count_distinct},
    {"dp_sum", AggregateKind::sum},
    {"dp_avg", AggregateKind::mean},
    {"dp_var", AggregateKind::variance},
    {"dp_stddev", AggregateKind::stddev},
    {"dp_regr_count", AggregateKind::pairs},
    {"dp_covar", AggregateKind::covariance},
    {"dp_corr", AggregateKind::correlation},
    {"dp_regr_slope", AggregateKind::slope},
    {"dp_regr_intercept", AggregateKind::intercept},
};

AggregateKind kind_of(const char* name) {
  for (const auto& known : kKinds) {
    if (strcmp(name, known.name) == 0) return known.kind;
  }
  elog(ERROR, "aggregate %s is of no known kind", name);
}

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

// Whether a call is a quantile or histogram; then its kind and numbers are filled in. PV002: they
// are not constants; PV005: out of range.
bool read_quantile(const Aggref* call, QueryAggregate* aggregate) {
  if (strcmp(aggregate->name, "dp_histogram") == 0) {
    aggregate->kind = AggregateKind::histogram;
    read_edges(call, aggregate);
    return true;
  }
  const bool median = strcmp(aggregate->name, "dp_median") == 0;
  if (!median && strcmp(aggregate->name, "dp_quantile") != 0) return false;
  aggregate->kind = AggregateKind::quantile;
  aggregate->probability = median ? 0.5 : probability_of(call);
  return true;
}

// What answers the question of an aggregate of PostgreSQL's.
constexpr struct {
  const char *name, *instead;
} kInstead[] = {
    {"count", "Use dp_count(*) or dp_count(x)."},
    {"sum", "Use dp_sum(x)."},
    {"avg", "Use dp_avg(x)."},
    {"variance", "Use dp_var(x), the variance of the population."},
    {"var_samp", "Use dp_var(x), the variance of the population."},
    {"var_pop", "Use dp_var(x)."},
    {"stddev", "Use dp_stddev(x), the deviation of the population."},
    {"stddev_samp", "Use dp_stddev(x), the deviation of the population."},
    {"stddev_pop", "Use dp_stddev(x)."},
    {"min", "An extreme is one row's own value. Use dp_quantile(x, 0.01), which 1% do not exceed."},
    {"max", "An extreme is one row's own value. Use dp_quantile(x, 0.99), which 1% exceed."},
    {"percentile_cont", "Use dp_quantile(x, 0.5) or dp_median(x)."},
    {"percentile_disc", "Use dp_quantile(x, 0.5) or dp_median(x)."},
    {"mode", "Use dp_count(*) with GROUP BY x, ORDER BY it and LIMIT 1."},
    {"bool_and", "Use dp_avg((condition)::int), the share of rows for which it is true."},
    {"bool_or", "Use dp_avg((condition)::int), the share of rows for which it is true."},
    {"every", "Use dp_avg((condition)::int), the share of rows for which it is true."},
    {"corr", "Use dp_corr(x, y)."},
    {"covar_pop", "Use dp_covar(x, y)."},
    {"covar_samp", "Use dp_covar(x, y), the covariance of the population."},
    {"regr_count", "Use dp_regr_count(y, x)."},
    {"regr_slope", "Use dp_regr_slope(y, x)."},
    {"regr_intercept", "Use dp_regr_intercept(y, x)."},
    {"regr_r2", "Use dp_corr(x, y) ^ 2."},
    {"array_agg", "It returns rows themselves. Use dp_histogram(x, edges), or GROUP BY x."},
    {"string_agg", "It returns rows themselves. Use dp_count(*) with GROUP BY x."},
};

const char* instead_of(const Aggref* call, const char* name) {
  if (call->aggdistinct != NIL && strcmp(name, "count") == 0) return "Use dp_count_distinct(x).";
  for (const auto& known : kInstead) {
    if (strcmp(name, known.name) == 0) return known.instead;
  }
  return "Use dp_count, dp_count_distinct, dp_sum, dp_avg, dp_var, dp_stddev, dp_covar, dp_corr, "
         "dp_regr_slope, dp_regr_intercept, dp_quantile, dp_median or dp_histogram.";
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
  QueryAggregate aggregate = {AggregateKind::count_rows, name, call->aggtype, NULL,
                              (Node*)call->aggfilter};
  if (call->aggstar) return aggregate;
  aggregate.argument = linitial_node(TargetEntry, call->args)->expr;
  if (read_quantile(call, &aggregate)) return aggregate;
  aggregate.kind = kind_of(name);
  if (list_length(call->args) == 2) {
    aggregate.second = lsecond_node(TargetEntry, call->args)->expr;
    // As in PostgreSQL y comes first where one is told from the other.
    if (strncmp(name, "dp_regr_", 8) == 0) std::swap(aggregate.argument, aggregate.second);
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

const Aggref* interval_arguments(const FuncExpr* call, double* level) {
  const Node *aggregate = NULL, *given = NULL;
  int position = 0;
  ListCell* cell;
  foreach (cell, call->args) {
    const Node* argument = (const Node*)lfirst(cell);
    int parameter = position++;
    if (IsA(argument, NamedArgExpr)) {
      parameter = ((const NamedArgExpr*)argument)->argnumber;
      argument = (const Node*)((const NamedArgExpr*)argument)->arg;
    }
    (parameter == 0 ? aggregate : given) = argument;
  }
  if (!IsA(aggregate, Aggref)) {
    refuse_construct("dp_low or dp_high of something other than a dp_* aggregate is",
                     "Write dp_low(dp_count(*), 0.95): the aggregate itself, then the level.");
  }
  *level = constant_level(given);
  return (const Aggref*)aggregate;
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
  *aggregate = aggregate_of(interval_arguments((const FuncExpr*)node, &value->level));
  value->type = aggregate->kind == AggregateKind::histogram ? FLOAT8ARRAYOID : FLOAT8OID;
  return true;
}

}  // namespace dpmix::pg
