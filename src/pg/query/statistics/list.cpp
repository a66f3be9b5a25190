#include "pg/query/statistics/list.hpp"

#include "pg/query/safe/expression.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
}

namespace dpmix::pg {
namespace {

// Whether trees, draws or histograms have the same cells; both are of one kind.
bool same_cells(const QueryStatistic& a, const QueryStatistic& b) {
  if (a.kind == StatisticKind::tree) return a.level == b.level;  // with equal values: one cut
  if (a.kind == StatisticKind::drawn) return a.share == b.share;
  return a.kind != StatisticKind::bins ||
         (a.cells == b.cells && memcmp(a.edge, b.edge, sizeof(double) * (a.cells + 1)) == 0);
}

bool adds_over_groups(const QueryStatistics* list, const AggregateParts& parts) {
  for (int i = 0; i < list->count; i++) {
    if ((parts.has(i) || i == parts.cells) && !adds_over_groups(list->statistic[i].kind)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool adds_over_groups(StatisticKind kind) {
  switch (kind) {
    case StatisticKind::rows:
    case StatisticKind::values:
    case StatisticKind::sum:
    case StatisticKind::squares:
      return true;
    case StatisticKind::distinct:  // who is in several groups is one of their union
    case StatisticKind::different:
    case StatisticKind::units:
    case StatisticKind::tree:  // their intervals are those of the noise of one draw
    case StatisticKind::drawn:
    case StatisticKind::bins:
      return false;
  }
  return false;
}

int released_cells(const QueryStatistics* list) {
  int cells = 0;
  for (int i = 0; i < list->count; i++) cells += list->statistic[i].cells;
  return cells;
}

int noisy_statistics(const QueryStatistics* list) {
  int count = 0;
  while (count < list->count && list->statistic[count].kind != StatisticKind::drawn) count++;
  return count;
}

bool has_tree(const QueryStatistics* list, const AggregateParts& parts) {
  return parts.cells >= 0 && list->statistic[parts.cells].tree != NULL;
}

void check_answered_together(const QueryShape* shape, const QueryStatistics* list) {
  for (int i = 0; shape->sets != NULL && i < shape->aggregates; i++) {
    const bool of_pairs = shape->aggregate[i].second != NULL;
    if (!of_pairs && adds_over_groups(list, list->parts[i])) continue;
    refuse_construct(
        psprintf("%s with GROUPING SETS, ROLLUP or CUBE is", shape->aggregate[i].name),
        "Counts, sums, averages and variances add up over groups. Ask for this one in a query of "
        "its own for each grouping.");
  }
}

const char* argument_text(const RowScope* scope, const QueryAggregate* aggregate) {
  const char* argument = expression_text(scope, (const Node*)aggregate->argument);
  if (aggregate->second == NULL) return argument;
  const char* second = expression_text(scope, (const Node*)aggregate->second);
  return aggregate->second_first ? psprintf("%s, %s", second, argument)
                                 : psprintf("%s, %s", argument, second);
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
