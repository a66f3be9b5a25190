#include "pg/query_statistics.hpp"

#include "core/release/query_plan.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

#include "pg/guard.hpp"
#include "pg/safe_expression.hpp"

namespace dpmix::pg {
namespace {

// Equal statistics are released once.
int add_statistic(QueryStatistics* list, const QueryStatistic& asked) {
  for (int i = 0; i < list->count; i++) {
    const QueryStatistic* known = &list->statistic[i];
    if (known->kind == asked.kind && known->lattice == asked.lattice &&
        equal(known->value, asked.value)) {
      return i;
    }
  }
  list->statistic =
      (QueryStatistic*)repalloc(list->statistic, sizeof(QueryStatistic) * (list->count + 1));
  list->statistic[list->count] = asked;
  return list->count++;
}

int add_sum(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate,
            bool centred) {
  const SafeNumber number = safe_number(scope, (Node*)aggregate->argument, aggregate->name);
  const Lattice lattice = guard([&] {
    return centred ? centred_lattice(number.lower, number.upper, number.integral)
                   : anchored_lattice(number.lower, number.upper, number.integral);
  });
  return add_statistic(list,
                       {StatisticKind::sum, number.value, lattice, 1, number.lower, number.upper,
                        psprintf(centred ? "centred sum(%s)" : "sum(%s)",
                                 expression_text(scope, (Node*)aggregate->argument))});
}

int add_count(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate) {
  if (aggregate->argument == NULL) {
    return add_statistic(list, {StatisticKind::rows, NULL, kCountLattice, 1, 0, 0, "count(*)"});
  }
  Node* argument = (Node*)aggregate->argument;
  // An average divides by how many values its sum has: their bounds may have given them one.
  Expr* value = aggregate->kind == AggregateKind::mean
                    ? safe_number(scope, argument, aggregate->name).counted
                    : safe_value(scope, argument);
  return add_statistic(list, {StatisticKind::values, value, kCountLattice, 1, 0, 0,
                              psprintf("count(%s)", expression_text(scope, argument))});
}

AggregateParts parts_of(QueryStatistics* list, const RowScope* scope,
                        const QueryAggregate* aggregate) {
  AggregateParts parts = {-1, -1};
  switch (aggregate->kind) {
    case AggregateKind::count_rows:
    case AggregateKind::count_values:
      parts.count = add_count(list, scope, aggregate);
      break;
    case AggregateKind::sum:
      parts.sum = add_sum(list, scope, aggregate, false);
      break;
    case AggregateKind::mean:
      parts.count = add_count(list, scope, aggregate);
      parts.sum = add_sum(list, scope, aggregate, true);
      break;
  }
  return parts;
}

}  // namespace

QueryStatistics* query_statistics(const RowScope* scope, const QueryShape* shape) {
  QueryStatistics* list = (QueryStatistics*)palloc0(sizeof(QueryStatistics));
  list->statistic = (QueryStatistic*)palloc(sizeof(QueryStatistic));
  list->parts = (AggregateParts*)palloc(sizeof(AggregateParts) * shape->aggregates);
  for (int i = 0; i < shape->aggregates; i++) {
    list->parts[i] = parts_of(list, scope, &shape->aggregate[i]);
  }
  list->first = (int*)palloc(sizeof(int) * list->count);
  for (int i = 0; i < list->count; i++) {
    list->first[i] = list->cells;
    list->cells += list->statistic[i].cells;
  }
  return list;
}

}  // namespace dpmix::pg
