#include "pg/query/statistics/list.hpp"

#include "pg/query/safe/expression.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
}

namespace dpmix::pg {
namespace {

// Of trees and histograms of one kind.
bool same_cells(const QueryStatistic& a, const QueryStatistic& b) {
  if (a.kind == StatisticKind::tree) return a.level == b.level;  // of equal values: one cut
  return a.kind != StatisticKind::bins ||
         (a.cells == b.cells && memcmp(a.edge, b.edge, sizeof(double) * (a.cells + 1)) == 0);
}

}  // namespace

const char* argument_text(const RowScope* scope, const QueryAggregate* aggregate) {
  const char* argument = expression_text(scope, (const Node*)aggregate->argument);
  if (aggregate->second == NULL) return argument;
  const char* second = expression_text(scope, (const Node*)aggregate->second);
  const bool line = strncmp(aggregate->name, "dp_regr_", 8) == 0;
  return line ? psprintf("%s, %s", second, argument) : psprintf("%s, %s", argument, second);
}

int add_statistic(QueryStatistics* list, const QueryStatistic& asked) {
  for (int i = 0; i < list->count; i++) {
    const QueryStatistic* known = &list->statistic[i];
    if (known->kind == asked.kind && known->lattice == asked.lattice &&
        known->centred == asked.centred && equal(known->value, asked.value) &&
        equal(known->filter, asked.filter) && same_cells(*known, asked)) {
      return i;
    }
  }
  list->statistic =
      (QueryStatistic*)repalloc(list->statistic, sizeof(QueryStatistic) * (list->count + 1));
  list->statistic[list->count] = asked;
  return list->count++;
}

QueryStatistic statistic_of(const RowScope* scope, const QueryAggregate* aggregate,
                            StatisticKind kind, const char* name, Expr* value,
                            const Lattice& lattice) {
  QueryStatistic statistic = {};
  statistic.kind = kind;
  statistic.value = value;
  statistic.filter = safe_condition(scope, (Node*)copyObjectImpl(aggregate->filter));
  statistic.lattice = lattice;
  statistic.cells = 1;
  const char* of = value == NULL ? "*" : argument_text(scope, aggregate);
  statistic.text = psprintf("%s(%s)%s", name, of, aggregate->filter != NULL ? " filtered" : "");
  return statistic;
}

}  // namespace dpmix::pg
