#include "pg/query/check/aggregates.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
}

#include "pg/trees/nodes.hpp"
#include "pg/query/statistics/quantiles.hpp"
#include "pg/trees/refusal.hpp"

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
};

AggregateKind kind_of(const char* name) {
  for (const auto& known : kKinds) {
    if (strcmp(name, known.name) == 0) return known.kind;
  }
  elog(ERROR, "aggregate %s is of no known kind", name);
}

QueryAggregate aggregate_of(const Aggref* call) {
  const char* name = get_func_name(call->aggfnoid);
  if (name == NULL || !is_dpmix_function(call->aggfnoid) || strncmp(name, "dp_", 3) != 0) {
    refuse_construct(psprintf("the aggregate %s is", name != NULL ? name : "?"),
                     "Use dp_count, dp_count_distinct, dp_sum, dp_avg, dp_var, dp_stddev, "
                     "dp_quantile, dp_median or dp_histogram.");
  }
  if (call->aggdistinct != NIL) {
    refuse_construct("DISTINCT in an aggregate is",
                     "Aggregate all rows, or use dp_count_distinct on a column with categories.");
  }
  if (call->aggorder != NIL) refuse_construct("ORDER BY in an aggregate is", "Leave it out.");
  if (call->agglevelsup != 0) refuse_construct("an outer aggregate is", kTables);
  QueryAggregate aggregate = {AggregateKind::count_rows, name, call->aggtype, NULL,
                              (Node*)call->aggfilter};
  if (call->aggstar) return aggregate;
  aggregate.argument = linitial_node(TargetEntry, call->args)->expr;
  if (!read_quantile(call, &aggregate)) aggregate.kind = kind_of(name);
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
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("level must not be NULL"),
                    errdetail("The level of an interval lies between 0 and 1, both excluded."),
                    errhint("Leave it out for 0.95.")));
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
