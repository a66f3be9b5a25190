#include "pg/query/statistics/unit_weighing.hpp"

#include <cmath>

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/query/keys/found_nulls.hpp"
#include "pg/query/statistics/unit_rows.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/units/row_memory.hpp"

namespace dpmix::pg {
namespace {

// A norm is at most 2^56 steps of weights, as noise is made for; fewer bits than these lose more of
// large units than drawing does.
constexpr int kMostSteps = 56, kLeastBits = 10;
// The most FILTERs: each takes a column of the rows for itself and one for its weight.
constexpr int kMostLists = 400;
constexpr int kTold = 4;  // what the function is told besides a row's unit and keys

int added_list(UnitWeighing* weighing, const WeightList& asked) {
  for (int i = 0; i < weighing->lists; i++) {
    const WeightList& known = weighing->list[i];
    if (known.pairs == asked.pairs && equal(known.filter, asked.filter)) return i;
  }
  weighing->list[weighing->lists] = asked;
  return weighing->lists++;
}

UnitsToSample units_to_weigh(const Query* query, const RowScope* scope, const QueryGroups* of,
                             const List* unit, const List* passes, const int* place, int groups,
                             const Contribution& most, const UnitWeighing* weighing) {
  const List* keys = keys_of(query, unit, kTold);
  UnitsToSample asked = units_to_count(query, scope, of, unit, keys, passes);
  WeightsToFind& weights = asked.weights;
  weights.lists = weighing->lists;
  weights.bits = weighing->bits;
  weights.bound = (NormBound*)palloc(sizeof(NormBound) * weighing->lists);
  weights.column = (int*)palloc(sizeof(int) * weighing->lists);
  bool by_group = false;
  for (int i = 0; i < weighing->lists; i++) {
    const bool pairs = weighing->list[i].pairs;
    weights.bound[i] = weighing->list[i].finds ? search_bound(most, groups)
                                               : norm_bound(most, groups, pairs, weighing->by_rows);
    weights.column[i] = place[i] < 0 ? -1 : asked.columns + place[i];
    by_group = by_group || pairs || !weighing->by_rows || weights.bound[i].most > 0;
  }
  weights.by_group = by_group && keys != NIL;
  if (weighing->draws) {
    asked.draws = true;
    asked.most = most;
    asked.by_group = keys != NIL && (most.groups < most.rows || most.rows_per_group < most.rows);
  }
  return asked;
}

Expr* ask(const char* name, Oid result, List* told, const List* unit_and_keys) {
  Oid type[] = {INTERNALOID, INT4OID, INT4OID, BOOLOID, ANYOID};
  const int count = list_length(told) + 1;
  if (count < (int)lengthof(type)) type[count] = ANYOID;
  List* arguments = lcons(memory_parameter(), told);
  arguments = list_concat(arguments, (List*)copyObjectImpl(unit_and_keys));
  return (Expr*)makeFuncExpr(dpmix_function(name, count + 1, type), result, arguments, InvalidOid,
                             InvalidOid, COERCE_EXPLICIT_CALL);
}

// Where the number of units is a statistic, its noise tells groups, too; then rows are drawn, and a
// unit has no more groups than it is taken to have.
bool finds_by_weights(const QueryShape* shape, const Contribution& unit,
                      const QueryStatistics* statistics, Family family) {
  return family == Family::gaussian && count_of_units(shape, unit, statistics) < 0;
}

Expr* both(Expr* condition, Expr* more) {
  return condition == NULL ? more : case_when(condition, more);
}

}  // namespace

bool can_be_weighed(StatisticKind kind) {
  switch (kind) {
    case StatisticKind::rows:
    case StatisticKind::values:
    case StatisticKind::sum:
    case StatisticKind::squares:
    case StatisticKind::bins:
    case StatisticKind::units:
      return true;
    case StatisticKind::tree:  // a quantile's counts are whole (docs/proofs/query_quantiles.md)
    case StatisticKind::drawn:
    case StatisticKind::distinct:
    case StatisticKind::different:
      return false;
  }
  return false;
}

bool can_be_weighed(Family family) {
  return family == Family::gaussian || family == Family::laplace;
}

List* passes_of(const UnitWeighing* weighing, int* place) {
  List* passes = NIL;
  for (int i = 0; i < weighing->lists; i++) {
    const Node* filter = weighing->list[i].filter;
    place[i] = -1;
    if (filter == NULL) continue;
    for (int j = 0; j < i && place[i] < 0; j++) {
      if (equal(weighing->list[j].filter, filter)) place[i] = place[j];
    }
    if (place[i] >= 0) continue;
    BooleanTest* test = makeNode(BooleanTest);
    test->arg = (Expr*)copyObjectImpl(filter);
    test->booltesttype = IS_TRUE;
    test->location = -1;
    place[i] = list_length(passes);
    passes = lappend(passes, test);
  }
  return passes;
}

Aggref* weighed_aggregate(const Aggref* plain, Expr* weight) {
  Expr* filter = plain->aggfilter;
  if (plain->aggfnoid == F_COUNT_ANY) {
    filter = both(filter, is_known(linitial_node(TargetEntry, plain->args)->expr));
  }
  Aggref* made;
  if (plain->aggfnoid == F_COUNT_ || plain->aggfnoid == F_COUNT_ANY) {
    made = aggregate_call(F_SUM_INT4, INT8OID, list_make1(weight));
  } else {
    List* arguments = NIL;
    Oid type[FUNC_MAX_ARGS];
    int count = 0;
    const ListCell* cell;
    foreach (cell, plain->args) {
      Expr* argument = lfirst_node(TargetEntry, cell)->expr;
      type[count++] = exprType((const Node*)argument);
      arguments = lappend(arguments, argument);
    }
    type[count++] = INT4OID;
    made = aggregate_call(dpmix_function(get_func_name(plain->aggfnoid), count, type),
                          plain->aggtype, lappend(arguments, weight));
  }
  made->aggfilter = filter;
  return made;
}

UnitWeighing* unit_weighing(const QueryShape* shape, const Contribution& unit,
                            const QueryGroups* groups, const QueryStatistics* statistics,
                            const StatisticShift* shifts, Family family) {
  if (!shape->joined.sampled || groups->cube != NULL) return NULL;
  if (!can_be_weighed(family)) return NULL;
  if (groups->discovered && !finds_by_weights(shape, unit, statistics, family)) return NULL;
  UnitWeighing* made = (UnitWeighing*)palloc0(sizeof(UnitWeighing));
  made->by_rows = family == Family::laplace;
  made->list = (WeightList*)palloc(sizeof(WeightList) * (statistics->count + 1));
  made->of = (int*)palloc(sizeof(int) * statistics->count);
  double norm = 1;
  for (int i = 0; i < statistics->count; i++) {
    const QueryStatistic* statistic = &statistics->statistic[i];
    made->of[i] = -1;
    if (can_be_weighed(statistic->kind)) {
      norm = Max(norm, made->by_rows ? shifts[i].l1 : shifts[i].l2);
      const bool pairs = statistic->kind == StatisticKind::units;
      const int all = Max(groups->count, 1);
      const bool binds = !pairs || norm_bound(unit, all, true, made->by_rows).rows < all;
      made->of[i] = added_list(made, {statistic->filter, pairs, binds, false});
    } else {
      made->draws = true;
    }
  }
  made->search = -1;
  if (groups->discovered) {
    made->search = made->lists;
    made->list[made->lists++] = {NULL, true, false, true};
  }
  for (int i = 0; i < made->lists; i++) made->binding += made->list[i].binds;
  made->bits = Min(kMostWeightBits, kMostSteps - (int)ceil(log2(norm)));
  const bool can = made->lists > 0 && made->lists <= kMostLists && made->bits >= kLeastBits;
  return can ? made : NULL;
}

void set_fine_bits(const UnitWeighing* weighing, const QueryStatistics* statistics,
                   StatisticNoise* noise) {
  for (int i = 0; i < statistics->count; i++) {
    noise[i].fine_bits = is_weighed(weighing, i) ? weighing->bits : 0;
  }
}

SampledUnits* weigh_units(Query* query, const RowScope* scope, const QueryGroups* groups,
                          const QueryStatistics* statistics, const Contribution& most,
                          const UnitWeighing* weighing) {
  List* unit = unit_columns(scope, NULL);
  int* place = (int*)palloc(sizeof(int) * weighing->lists);
  List* passes = passes_of(weighing, place);
  SampledUnits* units = sampled_units(units_to_weigh(query, scope, groups, unit, passes, place,
                                                     Max(groups->count, 1), most, weighing));
  const int keys = list_length(query->groupClause), parts = list_length(unit);
  // Rows; over them their weights, each computed once; over these the aggregates.
  Query* rows = read_from_rows(query, list_concat(unit, passes));
  const int told = list_length(rows->targetList) - list_length(passes) + 1, first = told - parts;
  const List* unit_and_keys =
      list_concat(columns_from(rows, first, parts), columns_from(rows, first - keys, keys));
  Expr* share = add_shares(query, rows, units);
  List* weights = NIL;
  for (int i = 0; i < weighing->lists; i++) {
    Expr* passing = place[i] < 0 ? (Expr*)constant(BOOLOID, InvalidOid, BoolGetDatum(true))
                                 : (Expr*)column_of(rows, (AttrNumber)(told + place[i]));
    weights = lappend(
        weights, ask("row_weight", INT4OID,
                     list_make3(whole_number(i), copyObjectImpl(share), passing), unit_and_keys));
  }
  if (weighing->draws) {
    weights = lappend(weights, ask("row_kept", BOOLOID, list_make1(share), unit_and_keys));
  }
  Query* weighed = read_from_rows(query, weights);
  const int columns = list_length(weighed->targetList) - list_length(weights) + 1;
  const auto column = [&](int list) {
    return (Expr*)column_of(weighed, (AttrNumber)(columns + list));
  };
  const int first_statistic = key_columns(groups);
  for (int i = 0; i < statistics->count; i++) {
    TargetEntry* entry = list_nth_node(TargetEntry, query->targetList, first_statistic + i);
    Aggref* plain = castNode(Aggref, entry->expr);
    if (is_weighed(weighing, i)) {
      entry->expr = (Expr*)weighed_aggregate(plain, column(weighing->of[i]));
    } else {
      plain->aggfilter = both(plain->aggfilter, column(weighing->lists));
    }
  }
  if (weighing->search >= 0) {  // the number of units, after the statistics
    TargetEntry* entry =
        list_nth_node(TargetEntry, query->targetList, first_statistic + statistics->count);
    entry->expr = (Expr*)weighed_aggregate(castNode(Aggref, entry->expr), column(weighing->search));
  }
  // Rows without a unit or of no group, and those of another share, have none.
  query->jointree->quals = (Node*)is_known(column(0));
  return units;
}

}  // namespace dpmix::pg
