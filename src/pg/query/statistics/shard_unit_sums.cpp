#include "pg/query/statistics/shard_unit_sums.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
}

#include "pg/citus/shard_states.hpp"
#include "pg/query/keys/found_nulls.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/statistics/shard_weights.hpp"
#include "pg/query/statistics/unit_rows.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/picked_rows.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/trees/windows.hpp"

namespace dpmix::pg {
namespace {

constexpr Index kPairWindow = kUnitWindow + 1;  // the groups of a unit, in the order of their keys

bool is_summed(StatisticKind kind) {
  return kind == StatisticKind::sum || kind == StatisticKind::squares;
}

Expr* passing(const RowsBetween& rows, int place) {
  return place < 0 ? NULL : rows.more(1 + place);
}

// Of the rows of a unit in a group that a list has.
Aggref* rows_passing(Expr* passes) {
  Aggref* count = aggregate_call(F_COUNT_, INT8OID, NIL);
  count->aggfilter = passes;
  return count;
}

Expr* is_any(Expr* rows) {
  return comparison(order_operator(INT8OID, BTGreaterStrategyNumber), rows,
                    (Expr*)constant(INT8OID, InvalidOid, Int64GetDatum(0)));
}

Expr* filtered(Expr* passes, Expr* more) {
  if (passes == NULL || more == NULL) return passes == NULL ? more : passes;
  return both_of(passes, more);
}

// A statistic of the rows of one unit in one group.
Expr* of_unit(const Aggref* plain, StatisticKind kind, Expr* passes) {
  if (kind == StatisticKind::rows || kind == StatisticKind::units) {
    return (Expr*)rows_passing(passes);
  }
  Aggref* made = (Aggref*)copyObjectImpl(plain);
  if (is_summed(kind)) {
    const char* name = kind == StatisticKind::sum ? "unit_sum" : "unit_squares";
    made->aggfnoid = dpmix_function(name, {FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID});
    made->aggtype = BYTEAOID;
  }
  made->aggfilter = filtered(passes, made->aggfilter);
  return (Expr*)made;
}

// The weighed sum of what units have.
Expr* of_all(const Aggref* plain, StatisticKind kind, Expr* of_unit, Expr* weight) {
  if (kind == StatisticKind::units) {
    return (Expr*)aggregate_call(F_SUM_INT4, INT8OID, list_make1(weight));
  }
  if (!is_summed(kind)) {
    Expr* product = call_builtin(F_INT48MUL, INT8OID, list_make2(weight, of_unit));
    Aggref* sum = aggregate_call(F_SUM_INT8, NUMERICOID, list_make1(product));
    return call_builtin(F_INT8_NUMERIC, INT8OID, list_make1(sum));
  }
  List* arguments = list_make1(of_unit);
  for (int i = 1; i < list_length(plain->args); i++) {  // the lattice
    arguments =
        lappend(arguments, copyObjectImpl(list_nth_node(TargetEntry, plain->args, i)->expr));
  }
  const char* name = kind == StatisticKind::sum ? "lattice_sum" : "lattice_squares";
  const Oid function =
      dpmix_function(name, {BYTEAOID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, INT4OID});
  return on_shards(aggregate_call(function, plain->aggtype, lappend(arguments, weight)));
}

// What a statistic is of, or of whom others read theirs.
StatisticKind kind_of(const QueryStatistics* statistics, int i) {
  return statistics->statistic[statistics->carrier[i]].kind;
}

// Whether the rows of a unit are of a group. Said of many of them at once: of each row, its keys
// would be computed a second time. The planner would make a condition on rows of one without an
// aggregate. NULL: there are no keys.
Expr* has_group(const RowsBetween& rows) {
  Expr* all = NULL;
  for (int k = rows.keys; k > 0; k--) {
    Expr* known = is_known(rows.more(-k));
    all = all == NULL ? known : both_of(all, known);
  }
  return all == NULL ? NULL : case_when(all, is_any((Expr*)rows_passing(NULL)));
}

// keys ..., statistics of each unit and group ..., unit, rows of its group in each list ...
RowsBetween sum_by_unit(Query* query, const RowScope* scope, const QueryGroups* groups,
                        const QueryStatistics* statistics, const UnitWeighing* weighing) {
  int* place = (int*)palloc(sizeof(int) * weighing->lists);
  List* passes = passes_of(weighing, place);
  const RowsBetween rows = put_between(query, lcons(unit_column(scope), passes));
  Query* units = (Query*)copyObjectImpl(query);
  for (int i = 0; i < statistics->count; i++) {
    TargetEntry* entry = list_nth_node(TargetEntry, units->targetList, key_columns(groups) + i);
    if (!IsA(entry->expr, Aggref)) continue;  // another carries it
    entry->expr = of_unit((const Aggref*)entry->expr, kind_of(statistics, i),
                          passing(rows, place[weighing->of[i]]));
  }
  add_column(units, rows.more(0));
  const RowsBetween summed = {units, list_length(units->targetList), rows.keys};
  TargetEntry* unit = llast_node(TargetEntry, units->targetList);
  unit->ressortgroupref = (Index)summed.first;
  units->groupClause =
      lappend(units->groupClause, sort_clause(exprType((Node*)unit->expr), unit->ressortgroupref));
  for (int i = 0; i < weighing->lists; i++) {
    add_column(units, (Expr*)rows_passing(passing(rows, place[i])));
  }
  // Rows without a unit or of no group count for nothing.
  require_value(units, rows.more(0));
  units->havingQual = (Node*)has_group(rows);
  return summed;
}

// The weight by which groups are found, of the pair of a unit and a group that a row is: no more
// pairs of a unit have one than it may be in, chosen by the bytes of its keys.
Expr* weight_that_finds(const NormBound& bound, int bits) {
  const auto whole = [](int64 value) {
    return (Expr*)constant(INT8OID, InvalidOid, Int64GetDatum(value));
  };
  Expr* pairs = over_window(kUnitWindow, F_COUNT_, INT8OID, NIL);
  Expr* counted = call_builtin(F_INT8SMALLER, INT8OID, list_make2(pairs, whole(bound.keys)));
  const UnitRows of = {bound, 1, whole(1), NULL};
  return case_when(is_among(numbered(kPairWindow), (int)bound.keys), of.weight_at(counted, bits),
                   whole_number(0));
}

// The rows of a unit in a list, and in a group where there are keys.
UnitRows rows_in_list(const UnitWeighing* weighing, int list, const Contribution& most, int groups,
                      int keys, Expr* rows) {
  const bool pairs = weighing->list[list].pairs;
  return {norm_bound(most, groups, pairs, weighing->by_rows), keys, rows, NULL};
}

Expr* weight_in_list(const UnitWeighing* weighing, int list, const UnitRows& of) {
  Expr* weight = of.weight(weighing->bits);
  if (!weighing->list[list].pairs) return weight;
  return case_when(is_any((Expr*)copyObjectImpl(of.rows)), weight,
                   whole_number(0));  // where one is
}

}  // namespace

bool can_sum_by_unit(const QueryStatistics* statistics) {
  for (int i = 0; i < statistics->count; i++) {
    const StatisticKind kind = kind_of(statistics, i);
    if (kind == StatisticKind::bins || !can_be_weighed(kind)) return false;
  }
  return true;
}

void weigh_sums_of_units(Query* query, const RowScope* scope, const QueryGroups* groups,
                         const QueryStatistics* statistics, const Contribution& most,
                         const UnitWeighing* weighing) {
  const RowsBetween summed = sum_by_unit(query, scope, groups, statistics, weighing);
  // The statistics as they were are told from here; what the query has is columns of the layer.
  const List* plain = query->targetList;
  const int lists = weighing->lists, all = Max(groups->count, 1);
  const bool several = summed.keys > 0;  // rows of a unit
  List *weights = NIL, *down = NIL;
  for (int i = 0; i < lists; i++) {
    const int place = summed.first + 1 + i;
    Expr* rows = several ? summed.more(1 + i)
                         : list_nth_node(TargetEntry, summed.query->targetList, place - 1)->expr;
    if (weighing->list[i].finds) {
      weights = lappend(weights, weight_that_finds(search_bound(most, all), weighing->bits));
      continue;
    }
    const UnitRows of = rows_in_list(weighing, i, most, all, summed.keys, rows);
    weights = lappend(weights, weight_in_list(weighing, i, of));
    if (!several || !weighing->list[i].binds) continue;
    down = lappend(down, of.is_weighed_down(weighing->bits));
  }
  if (!several) {  // its weight is made of its counts
    const ListCell* cell;
    foreach (cell, weights) add_column(summed.query, (Expr*)lfirst(cell));
  }
  read_from_groups(query, summed.query);
  RowsBetween weighed = {summed.query, summed.first + 1 + lists, 0};
  if (several) {
    weighed = put_between(query, lcons(summed.more(0), list_concat(weights, down)));
    add_window(weighed.query, kUnitWindow, list_make1_int(weighed.first));
    if (weighing->search >= 0) {
      add_window(weighed.query, kPairWindow, list_make1_int(weighed.first));
      order_by_bytes(weighed.query, kPairWindow, weighed.first - summed.keys, weighed.first);
    }
    weighed.first++;
  }
  for (int i = 0; i < statistics->count; i++) {
    const int at = key_columns(groups) + i;
    const Expr* was = list_nth_node(TargetEntry, plain, at)->expr;
    if (!IsA(was, Aggref)) continue;
    TargetEntry* entry = list_nth_node(TargetEntry, query->targetList, at);
    entry->expr = of_all((const Aggref*)was, kind_of(statistics, i), entry->expr,
                         weighed.more(weighing->of[i]));
  }
  if (weighing->search >= 0) {  // the number of units, after the statistics
    const int at = key_columns(groups) + statistics->count;
    list_nth_node(TargetEntry, query->targetList, at)->expr =
        (Expr*)aggregate_call(F_SUM_INT4, INT8OID, list_make1(weighed.more(weighing->search)));
  }
  int place = lists;
  for (int i = 0; i < lists; i++) {
    if (!weighing->list[i].binds) continue;
    // One group has no pairs that bind, nor rows that are cut: each weight is its unit's own.
    count_rows_where(
        query, several ? weighed.more(place++) : is_below_one(weighed.more(i), weighing->bits));
  }
}

}  // namespace dpmix::pg
