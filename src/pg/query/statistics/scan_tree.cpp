#include "pg/query/statistics/scan_tree.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/border/value.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_states.hpp"
#include "pg/query/check/released_columns.hpp"
#include "pg/query/keys/found_nulls.hpp"
#include "pg/query/layers/layered.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/category_number.hpp"
#include "pg/query/safe/text_lengths.hpp"
#include "pg/query/safe/texts.hpp"
#include "pg/query/statistics/cells.hpp"
#include "pg/query/statistics/folded_keys.hpp"
#include "pg/query/statistics/group_bytes.hpp"
#include "pg/query/statistics/key_shares.hpp"
#include "pg/query/statistics/seen_values.hpp"
#include "pg/query/statistics/shard_weighing.hpp"
#include "pg/query/statistics/shards.hpp"
#include "pg/query/statistics/tuples.hpp"
#include "pg/query/statistics/unit_sampling.hpp"
#include "pg/stats/lattice_state.hpp"
#include "pg/stats/numbers_seen.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/picked_rows.hpp"
#include "pg/trees/subquery.hpp"

namespace dpmix::pg {
namespace {

// lattice_sum or lattice_squares.
Aggref* lattice_aggregate(const char* name, Expr* value, const Lattice& lattice) {
  const Oid function =
      dpmix_function(name, {FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID});
  return aggregate_call(
      function, get_func_rettype(function),
      list_make5(value, float8_constant(lattice.origin), float8_constant(lattice.step),
                 float8_constant((double)lattice.low), float8_constant((double)lattice.high)));
}

// count(x), where a NaN counts as missing just as it does in sums: what an average divides by.
Aggref* value_count(Expr* value) {
  const Oid type = exprType((Node*)value);
  if (!has_nan(type)) return aggregate_call(F_COUNT_ANY, INT8OID, list_make1(value));
  const Oid differs = get_negator(order_operator(type, BTEqualStrategyNumber));
  Aggref* count = aggregate_call(F_COUNT_, INT8OID, NIL);
  // Neither NULL nor false passes.
  count->aggfilter = comparison(differs, value, (Expr*)constant(type, InvalidOid, nan_of(type)));
  return count;
}

// count(x), of which count_first_values() makes that of different ones.
Aggref* different_count(Expr* value) {
  Aggref* count = aggregate_call(F_COUNT_ANY, INT8OID, list_make1(value));
  count->aggfilter = value_count((Expr*)copyObjectImpl(value))->aggfilter;  // no NaN
  return count;
}

Aggref* seen_aggregate(Expr* number, int categories) {
  const Oid function = dpmix_function("numbers_seen", {INT4OID, INT4OID});
  return aggregate_call(
      function, get_func_rettype(function),
      list_make2(number, constant(INT4OID, InvalidOid, Int32GetDatum(categories))));
}

// Counts by cell, where the cells are told by an array of numbers.
Aggref* counts_aggregate(const char* name, Expr* value, const double* numbers, int count) {
  const Oid function = dpmix_function(name, {FLOAT8OID, FLOAT8ARRAYOID});
  return aggregate_call(
      function, get_func_rettype(function),
      list_make2(value, constant(FLOAT8ARRAYOID, InvalidOid, float8_array(numbers, count).datum)));
}

Aggref* unfiltered_aggregate(const QueryStatistic* statistic) {
  Expr* value = (Expr*)copyObjectImpl(statistic->value);
  switch (statistic->kind) {
    case StatisticKind::rows:
      return aggregate_call(F_COUNT_, INT8OID, NIL);
    case StatisticKind::values:
      return value_count(value);
    case StatisticKind::sum:
      return lattice_aggregate("lattice_sum", value, statistic->lattice);
    case StatisticKind::squares:
      return lattice_aggregate("lattice_squares", value, statistic->centred);
    case StatisticKind::distinct:
      return seen_aggregate(value, statistic->categories);
    case StatisticKind::different:
      return different_count(value);
    case StatisticKind::tree:
    case StatisticKind::drawn: {
      const CellCut& cut = statistic->tree->cut;
      const double numbers[] = {cut.lower(), cut.limit(), (double)cut.cells()};
      return counts_aggregate("cell_counts", value, numbers, lengthof(numbers));
    }
    case StatisticKind::bins:
      return counts_aggregate("edge_counts", value, statistic->edge, statistic->cells + 1);
    case StatisticKind::units:  // one row each, or sample_units() makes it so
      return aggregate_call(F_COUNT_ANY, INT8OID, list_make1(value));
  }
  elog(ERROR, "statistic %s is of no known kind", statistic->text);
}

Aggref* exact_aggregate(const QueryStatistic* statistic, bool weighed) {
  Aggref* exact = unfiltered_aggregate(statistic);
  if (weighed) return exact;
  exact->aggfilter =
      (Expr*)make_and_qual((Node*)copyObjectImpl(statistic->filter), (Node*)exact->aggfilter);
  return exact;
}

// The place of a row along a key; NULL: none.
Expr* place_number(const KeyColumn* key) {
  const auto place = [](int number) {
    return (Expr*)constant(INT4OID, InvalidOid, Int32GetDatum(number));
  };
  Expr* number = key->categories > 0 ? category_number(key->expression, key->value, key->categories)
                                     : (Expr*)makeNullConst(INT4OID, -1, InvalidOid);
  if (key->others) number = first_known(number, place(key->others_place()));
  return key->has_null ? case_when(is_known(key->missing), number, place(key->null_place()))
                       : number;
}

// A key whose values are not public. Never a plain column: the planner leaves one out of GROUP BY
// where a primary key among the others decides it, but a snapshot may show two rows of one key.
Expr* found_key(const RowScope* scope, const KeyColumn* key) {
  Expr* value = (Expr*)copyObjectImpl(key->expression);
  const bool kept = is_stored_once(scope, value) || !is_text(exprType((const Node*)value));
  value = kept ? comparable_text(scope, value)
               : key_text(value, key->bytes > 0 ? key->bytes : kLongestKey);
  return with_stand_in(key, case_when(is_known(key->expression), value));
}

// The planner knows nothing of the rows, and believes that hardly any passes a few conditions: it
// would let workers hand over rows that they should count. Of CASE it expects half of them. Not
// where conditions choose partitions or join tables.
Node* condition_of(const RowScope* scope, const QueryShape* shape) {
  Node* condition = (Node*)copyObjectImpl(shape->where);
  const QuerySource* table = &scope->sources->source[0];
  const bool plain = scope->sources->count == 1 && table->layer == NULL &&
                     !has_shards(table->relation) &&
                     get_rel_relkind(table->relation) != RELKIND_PARTITIONED_TABLE;
  if (condition == NULL || !plain) return condition;
  Expr* admitted = (Expr*)constant(BOOLOID, InvalidOid, BoolGetDatum(true));
  return (Node*)case_when((Expr*)condition, admitted);
}

// Keys of which the planner knows less than nothing: how many values a column has is no guess at
// how many an expression of it has.
bool has_expressions(const QueryGroups* groups) {
  for (int k = 0; k < groups->keys; k++) {
    if (!groups->key[k].found || !IsA(groups->key[k].expression, Var)) return true;
  }
  return false;
}

// The column of statistic i. PostgreSQL computes equal aggregates once, but shards send each
// column: there one that another carries is left empty, and nobody reads it. Those of weighed rows
// get their form for shards with the weights.
Expr* exact_value(const QueryStatistics* statistics, int i, bool sharded, bool weighed) {
  const int carrier = statistics->carrier[i];
  if (sharded && carrier != i) return (Expr*)makeNullConst(INT8OID, -1, InvalidOid);
  Aggref* aggregate = exact_aggregate(&statistics->statistic[carrier], weighed);
  return sharded && !weighed ? on_shards(aggregate) : (Expr*)aggregate;
}

// What the state of a sum, on its own lattice, says of a statistic that it carries.
Int128 part_of(const QueryStatistic* part, const LatticeSum& sum) {
  if (part->kind == StatisticKind::values) return sum.count;
  if (sum.blank() || part->lattice == sum.lattice) return sum.total;
  // Whole numbers from their distances to the middle (carries_whole): x = origin + step * k.
  const auto twice_origin = static_cast<int64>(2 * sum.lattice.origin);
  const auto twice_step = static_cast<int64>(2 * sum.lattice.step);
  return (twice_origin * static_cast<Int128>(sum.count) + twice_step * sum.total) / 2;
}

// Rows that are sorted, hashed or sent by workers: one that is too wide would raise only where
// there is one, after the charge.
void check_rows(const Query* query, const QueryGroups* groups, const QueryStatistics* statistics) {
  constexpr int kMore = 2;  // a unit, and the number of a share
  const List* read = columns_of((Node*)list_make2(query->targetList, query->jointree));
  check_width(list_length(read) + key_columns(groups) + kMore, "group keys and columns");
  check_width(key_columns(groups) + statistics->count + 1, "group keys and statistics");
  if (groups->discovered) check_width(found_width(groups), "group keys to discover");
}

// The places of numbers of units among the targets.
List* unit_counts(const QueryGroups* groups, const QueryStatistics* statistics) {
  List* places = NIL;
  for (int i = 0; i < statistics->count; i++) {
    if (statistics->statistic[i].kind == StatisticKind::units) {
      places = lappend_int(places, key_columns(groups) + i + 1);
    }
  }
  if (groups->discovered) {
    places = lappend_int(places, key_columns(groups) + statistics->count + 1);
  }
  return places;
}

// weighing: what tells FILTER of some statistics; NULL: of none.
Query* statistics_tree(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups,
                       const QueryStatistics* statistics, const UnitWeighing* weighing) {
  Query* made = (Query*)copyObjectImpl(scope->query);
  made->targetList = made->groupClause = made->sortClause = NIL;
  made->groupingSets = NIL;  // their tables are added up from the combinations of all keys
  made->groupDistinct = false;
  made->havingQual = made->limitOffset = made->limitCount = NULL;  // for released rows alone
  made->limitOption = LIMIT_OPTION_COUNT;
  made->hasAggs = true;
  made->jointree->fromlist = (List*)copyObjectImpl(shape->from);
  made->jointree->quals = condition_of(scope, shape);
  AttrNumber number = 1;
  const auto group_by = [&](Expr* value) {
    TargetEntry* entry = makeTargetEntry(value, number, NULL, false);
    entry->ressortgroupref = number;
    made->targetList = lappend(made->targetList, entry);
    made->groupClause = lappend(made->groupClause, sort_clause(exprType((Node*)value), number++));
  };
  for (int k = 0; k < groups->keys; k++) {
    const KeyColumn* key = &groups->key[k];
    // Where values are public, groups go by their numbers: there is one group of all others, which
    // group_of drops, and they are cheaper to find than by the values themselves.
    Expr* category = key->found ? found_key(scope, key) : place_number(key);
    group_by(category);
    if (groups->discovered) require_value(made, category);
  }
  if (groups->tells_nulls) group_by(null_bits(groups));
  const bool sharded = reads_shards(scope->sources);
  for (int i = 0; i < statistics->count; i++) {
    Expr* exact = exact_value(statistics, i, sharded, is_weighed(weighing, i));
    made->targetList = lappend(made->targetList, makeTargetEntry(exact, number++, NULL, false));
  }
  if (groups->discovered) {  // found by how many units they have
    Expr* units = (Expr*)aggregate_call(F_COUNT_, INT8OID, NIL);
    made->targetList = lappend(made->targetList, makeTargetEntry(units, number++, NULL, false));
  }
  check_rows(made, groups, statistics);
  write_for_shards(made, scope->sources);
  run_layers(made, scope->sources);
  for (int i = 0; i < scope->sources->count; i++) {
    const QuerySource* source = &scope->sources->source[i];
    if (source->layer != NULL) continue;
    RangeTblEntry* entry = (RangeTblEntry*)list_nth(made->rtable, source->varno - 1);
    check_as_user(made, entry, source->owner);
    // The rows of a partitioned table lie in its parts: require_planned_parts().
    const bool alone = bms_is_member(source->varno, shape->joined.alone);
    if (alone && entry->relkind == RELKIND_RELATION) entry->inh = false;
  }
  return made;
}

}  // namespace

Query* plain_scan_tree(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups,
                       const QueryStatistics* statistics) {
  return statistics_tree(scope, shape, groups, statistics, NULL);
}

Query* scan_tree(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups,
                 const QueryStatistics* statistics, const Contribution& unit,
                 const UnitWeighing* weighing, RowMemory** memory, KeyShares* shares) {
  Query* made = statistics_tree(scope, shape, groups, statistics, weighing);
  RowMemory needed = {};
  *shares = needed.shares = {1, 0};
  need_keys(groups);
  need_first_values(made, scope, groups, statistics);
  if (!groups->discovered) {
    need_declared_groups(scope, groups, statistics);
  } else if (shape->joined.sampled) {
    need_found_groups(made, scope, groups, statistics);
  } else {
    *shares = needed.shares =
        share_keys(made, scope, groups, statistics, counts_different_values(statistics));
  }
  if (shape->joined.sampled && reads_shards(scope->sources)) {
    weigh_on_shards(made, scope, shape, groups, statistics, unit, weighing);
  } else if (weighing != NULL) {
    needed.units = weigh_units(made, scope, groups, statistics, unit, weighing);
  } else if (shape->joined.sampled) {
    needed.units = sample_units(made, scope, groups, unit, shape->joined.apart,
                                unit_counts(groups, statistics));
  } else if (shape->joined.picked) {
    pick_rows(made, {unit_column(scope), 1});
  } else if (has_expressions(groups) && !reads_shards(scope->sources)) {
    made = group_by_columns(made);
    fold_keys(made, groups);
  }
  needed.seen = count_first_values(made, scope, groups, statistics);
  *memory = NULL;
  if (needed.units != NULL || needed.seen != NULL) {
    *memory = (RowMemory*)palloc(sizeof(RowMemory));
    **memory = needed;
  }
  return made;
}

Oid scan_parameter_type(const RowMemory* memory, const KeyShares& shares) {
  return memory != NULL ? (Oid)INTERNALOID : shares.count > 1 ? kShareType : InvalidOid;
}

Datum scan_parameter(RowMemory* memory, const KeyShares& shares, int share) {
  if (memory != NULL) {
    memory->share = share;
    return PointerGetDatum(memory);
  }
  return shares.count > 1 ? share_parameter(shares, share) : (Datum)0;
}

void read_exact(const QueryStatistics* statistics, int i, Datum value, bool null, Int128* group) {
  if (null) return;
  Int128* cells = group + statistics->first[i];
  const QueryStatistic* part = &statistics->statistic[i];
  switch (statistics->statistic[statistics->carrier[i]].kind) {
    case StatisticKind::rows:
    case StatisticKind::values:
    case StatisticKind::units:
    case StatisticKind::different:
      cells[0] = DatumGetInt64(value);
      break;
    case StatisticKind::sum:
      cells[0] = part_of(part, load(read_state_of<SumState>(value)));
      break;
    case StatisticKind::squares: {
      const LatticeSquares state = load(read_state_of<SquaresState>(value));
      cells[0] = part->kind == StatisticKind::squares ? state.squares : part_of(part, state.sum);
      break;
    }
    case StatisticKind::distinct:
      cells[0] = read_numbers_seen(value);
      break;
    case StatisticKind::tree:
    case StatisticKind::bins:
      read_counts(part, value, cells);
      break;
    case StatisticKind::drawn:
      if (statistics->carrier[i] == i) read_counts(part, value, group + statistics->counted[i]);
      break;
  }
}

}  // namespace dpmix::pg
