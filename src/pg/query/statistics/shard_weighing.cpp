#include "pg/query/statistics/shard_weighing.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
}

#include "pg/border/guard.hpp"
#include "pg/citus/shard_states.hpp"
#include "pg/query/keys/found_nulls.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/statistics/shard_unit_sums.hpp"
#include "pg/query/statistics/shard_weights.hpp"
#include "pg/query/statistics/shards.hpp"
#include "pg/query/statistics/unit_rows.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/picked_rows.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/trees/windows.hpp"

namespace dpmix::pg {
namespace {

// Windows: the rows of a unit in a group; and, of the same query, of these the ones that pass the
// n-th FILTER.
constexpr Index kGroup = 1, kPassing = 2;

[[noreturn]] void refuse_drawn(const RowScope* scope, const char* what, const char* hint) {
  refuse(ErrorCode::query_not_allowed,
         psprintf("%s over shards where a unit may have several rows", what),
         psprintf("It needs rows of each privacy unit that are drawn. Those of %s lie on other "
                  "nodes, where nothing is drawn.",
                  scope->sources->first->name),
         hint);
}

// unit, passes ...
RowsBetween rows_with_units(Query* query, const RowScope* scope, const List* passes) {
  return put_between(query, list_concat(list_make1(unit_column(scope)), list_copy(passes)));
}

// unit, passes ..., number in its group, rows of its unit and group in each list ..., number among
// those of its group that pass ..., where some are picked the number among those of its unit
RowsBetween count_rows(Query* query, const RowsBetween& rows, const UnitWeighing* weighing,
                       const int* place, int passes) {
  List* more = NIL;
  for (int i = 0; i <= passes; i++) more = lappend(more, rows.more(i));
  more = lappend(more, numbered(kGroup));
  for (int i = 0; i < weighing->lists; i++) {
    Expr* passing = place[i] < 0 ? NULL : rows.more(1 + place[i]);
    more = lappend(more, over_window(kGroup, F_COUNT_, INT8OID, NIL, passing));
  }
  for (int i = 0; i < passes; i++) more = lappend(more, numbered(kPassing + (Index)i));
  const Index picking = kPassing + (Index)passes;
  if (weighing->draws) more = lappend(more, numbered(picking));
  const RowsBetween counted = put_between(query, more);
  // Rows without a unit or of no group count for nothing.
  require_value(counted.query, rows.more(0));
  List* together = list_make1_int(counted.first);
  for (int k = counted.keys; k > 0; k--) {
    require_value(counted.query, rows.more(-k));
    together = lappend_int(together, counted.first - k);
  }
  add_window(counted.query, kGroup, together);
  for (int i = 0; i < passes; i++) {
    add_window(counted.query, kPassing + (Index)i,
               lappend_int(list_copy(together), counted.first + 1 + i));
  }
  if (weighing->draws) {
    add_window(counted.query, picking, list_make1_int(counted.first));
    order_by_bytes(counted.query, picking, 1, counted.first);
  }
  return counted;
}

// Whether a row counts in a list; NULL: it does.
Expr* counts_in(const RowsBetween& counted, const UnitWeighing* weighing, const int* place,
                int passes, int list) {
  const int pass = place[list];
  if (pass < 0) {
    return weighing->list[list].pairs ? is_first(counted.more(1 + passes)) : NULL;
  }
  Expr* passing = counted.more(1 + pass);
  if (!weighing->list[list].pairs) return passing;
  return both_of(passing, is_first(counted.more(2 + passes + weighing->lists + pass)));
}

// unit, weight in each list ..., of those that bind, whether the row is the first of a unit that is
// weighed down ...: the weight is least where a unit has most rows. Where some rows are picked,
// whether this one is.
RowsBetween weigh_rows(Query* query, const RowsBetween& counted, const UnitWeighing* weighing,
                       const int* place, int passes, const Contribution& most, int groups) {
  List *more = list_make1(counted.more(0)), *down = NIL;
  for (int i = 0; i < weighing->lists; i++) {
    const WeightList& list = weighing->list[i];
    const UnitRows rows = {norm_bound(most, groups, list.pairs, weighing->by_rows), counted.keys,
                           counted.more(2 + passes + i), is_first(counted.more(1 + passes))};
    Expr* counts = counts_in(counted, weighing, place, passes, i);
    Expr* weight = rows.weight(weighing->bits);
    more = lappend(more, counts == NULL ? weight : case_when(counts, weight, whole_number(0)));
    if (list.binds) down = lappend(down, rows.is_weighed_down(weighing->bits));
  }
  if (weighing->draws) {
    const int number = 2 + passes + weighing->lists + passes;
    down = lappend(down, is_among(counted.more(number), most.rows));
  }
  const RowsBetween weighed = put_between(query, list_concat(more, down));
  if (counted.keys > 0) {
    add_window(weighed.query, kUnitWindow, list_make1_int(weighed.first));
  }
  return weighed;
}

// An aggregate of picked rows, in its form for shards.
void pick_for(Expr* statistic, Expr* picked) {
  Aggref* aggregate = linitial_node(Aggref, castNode(FuncExpr, statistic)->args);
  aggregate->aggfilter =
      aggregate->aggfilter == NULL ? picked : both_of(aggregate->aggfilter, picked);
}

void aggregate_weighed(Query* query, const RowsBetween& weighed, const QueryGroups* groups,
                       const QueryStatistics* statistics, const UnitWeighing* weighing) {
  for (int i = 0; i < statistics->count; i++) {
    TargetEntry* entry = list_nth_node(TargetEntry, query->targetList, key_columns(groups) + i);
    if (IsA(entry->expr, Const)) continue;  // another carries it
    if (weighing->of[i] < 0) {
      pick_for(entry->expr, weighed.more(1 + weighing->lists + weighing->binding));
      continue;
    }
    entry->expr =
        on_shards(weighed_aggregate((const Aggref*)entry->expr, weighed.more(1 + weighing->of[i])));
  }
  for (int i = 0; i < weighing->binding; i++) {
    count_rows_where(query, weighed.more(1 + weighing->lists + i));
  }
}

bool are_weighed(const QueryStatistics* statistics, const AggregateParts& parts) {
  for (const int part : {parts.count, parts.sum, parts.squares, parts.cells, parts.y_sum,
                         parts.y_squares, parts.products}) {
    if (part >= 0 && !can_be_weighed(statistics->statistic[part].kind)) return false;
  }
  return true;
}

bool is_weighable(const QueryShape* shape, const QueryGroups* groups,
                  const QueryStatistics* statistics) {
  bool all = !groups->discovered && groups->cube == NULL;
  for (int i = 0; i < shape->aggregates; i++) {
    all = all && are_weighed(statistics, statistics->parts[i]);
  }
  return all;
}

bool all_drawn(const QueryStatistics* statistics) {
  for (int i = 0; i < statistics->count; i++) {
    if (can_be_weighed(statistics->statistic[i].kind)) return false;
  }
  return true;
}

// PV002 for what neither weights nor picked rows tell.
void require_shard_form(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups,
                        const QueryStatistics* statistics, const Contribution& most,
                        const UnitWeighing* weighing) {
  const bool finds = weighing != NULL && weighing->search >= 0;
  if (groups->discovered && (!finds || !can_sum_by_unit(statistics))) {
    refuse_drawn(scope, "these groups cannot be found",
                 "Ask for counts of rows, sums, averages and variances, with a delta, and without "
                 "the number of people; or declare the values of the keys, by "
                 "dpmix.set_categories or set_bounds.");
  }
  if (shape->joined.apart != NULL || (weighing == NULL && !all_drawn(statistics))) {
    refuse_drawn(scope, "this query cannot be answered",
                 "Ask for fewer values at once, with Gaussian or Laplace noise.");
  }
  const bool limited = most.groups < most.rows || most.rows_per_group < most.rows;
  if (limited && (weighing == NULL || weighing->draws)) {
    refuse_drawn(scope, "max_groups with quantiles or different values cannot be kept",
                 "Leave max_groups out, or ask for counts and sums alone.");
  }
}

}  // namespace

bool can_pick_rows(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups,
                   const QueryStatistics* statistics) {
  const QuerySources* sources = scope->sources;
  return shape->joined.sampled && shape->joined.most == 1 && shape->joined.apart == NULL &&
         sources->count == 1 && reads_shards(sources) && !has_blocks(sources->first->blocks) &&
         !is_weighable(shape, groups, statistics);
}

void require_weighable(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups) {
  if (!shape->joined.sampled || !any_distributed(scope->sources) || groups->cube == NULL) return;
  refuse_drawn(scope, "GROUPING SETS, ROLLUP and CUBE cannot be answered",
               "Ask for each grouping in a query of its own.");
}

void weigh_on_shards(Query* query, const RowScope* scope, const QueryShape* shape,
                     const QueryGroups* groups, const QueryStatistics* statistics,
                     const Contribution& most, const UnitWeighing* weighing) {
  require_shard_form(scope, shape, groups, statistics, most, weighing);
  if (weighing == NULL) {
    pick_rows(query, {unit_column(scope), most.rows});
    return;
  }
  if (can_sum_by_unit(statistics)) {
    weigh_sums_of_units(query, scope, groups, statistics, most, weighing);
    return;
  }
  int* place = (int*)palloc(sizeof(int) * weighing->lists);
  const List* passing = passes_of(weighing, place);
  const int passes = list_length(passing);
  const RowsBetween rows = rows_with_units(query, scope, passing);
  const RowsBetween counted = count_rows(query, rows, weighing, place, passes);
  const RowsBetween weighed =
      weigh_rows(query, counted, weighing, place, passes, most, Max(groups->count, 1));
  aggregate_weighed(query, weighed, groups, statistics, weighing);
}

void add_weighed_down(const UnitWeighing* weighing, const Datum* values, const bool* nulls,
                      int first) {
  if (weighing == NULL || weighing->on_shards == NULL) return;
  for (int i = 0; i < weighing->lists; i++) {
    if (!weighing->list[i].binds) continue;
    if (!nulls[first]) weighing->on_shards[i] += DatumGetInt64(values[first]);
    first++;
  }
}

}  // namespace dpmix::pg
