#include "pg/query/statistics/statistics.hpp"

#include "pg/query/read/aggregate.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/query/statistics/cells.hpp"
#include "pg/query/statistics/sums.hpp"

namespace dpmix::pg {
namespace {

// What FILTER says of an aggregate's rows narrows its bounds.
RowScope within_filter(const RowScope* scope, const QueryAggregate* aggregate) {
  RowScope within = *scope;
  RowBytes elsewhere = {};  // FILTER is counted where it is computed
  within.bytes = &elsewhere;
  List* facts = joined_by_and(safe_condition(&within, aggregate->filter));
  within.bytes = scope->bytes;
  within.facts = list_concat_copy(scope->facts, facts);
  return within;
}

AggregateParts parts_of(QueryStatistics* list, const RowScope* query_scope, const QueryShape* shape,
                        const QueryAggregate* aggregate, int most_cells, bool drawn) {
  const RowScope within = within_filter(query_scope, aggregate);
  return aggregate->row->statistics({list, &within, shape, aggregate, most_cells, drawn});
}

// Whether sums on a centred lattice tell those from 0, exactly: whole numbers, placed without a
// rounding on both, and clamped alike.
bool carries_whole(const Lattice& centred, const QueryStatistic* part) {
  const double reach = centred.step * static_cast<double>(centred.high);
  return part->integral && part->lattice.origin == 0 && part->lattice.step == 1 &&
         (centred.step == 1 || centred.step == 0.5) &&
         static_cast<double>(part->lattice.low) == centred.origin - reach &&
         static_cast<double>(part->lattice.high) == centred.origin + reach;
}

bool carries_part(const QueryStatistic* carrier, const QueryStatistic* part) {
  if (carrier == part || !equal(carrier->filter, part->filter)) return false;
  if (part->kind == StatisticKind::tree) {  // its first level in the list has the cells of all
    return carrier->kind == StatisticKind::tree && carrier < part && carrier->tree == part->tree;
  }
  if (part->kind == StatisticKind::drawn) {
    return carrier->kind == StatisticKind::drawn && carrier < part &&
           carrier->tree->cut.cells() == part->tree->cut.cells() &&
           equal(carrier->value, part->value);
  }
  if (part->kind == StatisticKind::sum) {
    const bool squares = carrier->kind == StatisticKind::squares;
    if ((!squares && carrier->kind != StatisticKind::sum) || !equal(carrier->value, part->value)) {
      return false;
    }
    const Lattice& lattice = squares ? carrier->centred : carrier->lattice;
    return (squares && lattice == part->lattice) ||
           (lattice.low == -lattice.high && lattice != part->lattice &&
            carries_whole(lattice, part));
  }
  const bool counts =
      carrier->kind == StatisticKind::squares || carrier->kind == StatisticKind::sum;
  return counts && part->kind == StatisticKind::values && same_values(part->value, carrier->value);
}

const QueryStatistic* carrier_of(const QueryStatistics* list, const QueryStatistic* part) {
  const QueryStatistic* best = part;
  for (int i = 0; i < list->count; i++) {
    const QueryStatistic* other = &list->statistic[i];
    if (best->kind != StatisticKind::squares && carries_part(other, best)) best = other;
  }
  // A sum that was found for a count may itself be part of squares further up the list.
  return best == part ? best : carrier_of(list, best);
}

// Places the exact counts that quantiles are drawn from behind what is released, once for each
// column.
void place_counts(QueryStatistics* list, int i) {
  list->counted[i] = -1;
  if (list->statistic[i].kind != StatisticKind::drawn) return;
  const int carrier = list->carrier[i];
  list->counted[i] = carrier < i ? list->counted[carrier] : list->cells;
  if (carrier == i) list->cells += (int)list->statistic[i].tree->cut.cells();
}

}  // namespace

bool same_values(const Expr* value, const Expr* converted) {
  if (equal(value, converted)) return true;
  const auto* call = IsA(converted, FuncExpr) ? (const FuncExpr*)converted : NULL;
  if (call == NULL) return false;
  if (is_placed_number(call)) return same_values(value, (const Expr*)linitial(call->args));
  return is_conversion(call->funcid) && equal(value, linitial(call->args));
}

QueryStatistics* list_statistics(const RowScope* scope, const QueryShape* shape, int64 groups,
                                 int finest, bool drawn) {
  const int most = cells_of_quantiles(shape, groups, finest);
  QueryStatistics* list = (QueryStatistics*)palloc0(sizeof(QueryStatistics));
  list->statistic = (QueryStatistic*)palloc(sizeof(QueryStatistic));
  list->parts = (AggregateParts*)palloc(sizeof(AggregateParts) * shape->aggregates);
  for (int i = 0; i < 2 * shape->aggregates; i++) {
    const bool last = i >= shape->aggregates;  // what is drawn
    const int aggregate = i % shape->aggregates;
    if (last != (drawn && shape->aggregate[aggregate].row->cuts_column)) continue;
    list->parts[aggregate] =
        parts_of(list, scope, shape, &shape->aggregate[aggregate], most, drawn);
  }
  list->first = (int*)palloc(sizeof(int) * list->count);
  list->counted = (int*)palloc(sizeof(int) * list->count);
  list->carrier = (int*)palloc(sizeof(int) * list->count);
  for (int i = 0; i < list->count; i++) {
    list->first[i] = list->cells;
    list->cells += list->statistic[i].cells;
    list->carrier[i] = (int)(carrier_of(list, &list->statistic[i]) - list->statistic);
  }
  for (int i = 0; i < list->count; i++) place_counts(list, i);
  return list;
}

}  // namespace dpmix::pg
