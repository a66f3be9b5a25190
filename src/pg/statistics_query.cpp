#include "pg/statistics_query.hpp"

extern "C" {
#include "catalog/pg_aggregate.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parse_func.h"
#include "parser/parse_oper.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

#include "pg/category_number.hpp"
#include "pg/compat.hpp"
#include "pg/guard.hpp"
#include "pg/query_quantiles.hpp"
#include "pg/safe_expression.hpp"
#include "pg/query_sources.hpp"
#include "pg/stats_agg.hpp"
#include "pg/unit_sampling.hpp"

namespace dpmix::pg {
namespace {

Const* constant(Oid type, Oid collation, Datum value) {
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  return makeConst(type, -1, collation, length, value, false, by_value);
}

Const* float8_constant(double value) {
  return constant(FLOAT8OID, InvalidOid, Float8GetDatum(value));
}

Oid own_function(const char* name, int arguments, const Oid* types) {
  return LookupFuncName(list_make2(makeString(pstrdup("dpmix")), makeString(pstrdup(name))),
                        arguments, types, false);
}

Aggref* aggregate(Oid function, Oid result, List* arguments) {
  Aggref* node = makeNode(Aggref);
  node->aggfnoid = function;
  node->aggtype = result;
  node->aggstar = arguments == NIL;
  node->aggkind = AGGKIND_NORMAL;
  node->aggsplit = AGGSPLIT_SIMPLE;
  node->aggno = node->aggtransno = -1;
  node->location = -1;
  int number = 1;
  ListCell* cell;
  foreach (cell, arguments) {
    Expr* argument = (Expr*)lfirst(cell);
    node->aggargtypes = lappend_oid(node->aggargtypes, exprType((Node*)argument));
    node->args = lappend(node->args, makeTargetEntry(argument, number++, NULL, false));
  }
  return node;
}

// lattice_sum or lattice_squares.
Aggref* lattice_aggregate(const char* name, Expr* value, const Lattice& lattice) {
  const Oid types[] = {FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID};
  const Oid function = own_function(name, lengthof(types), types);
  return aggregate(
      function, get_func_rettype(function),
      list_make5(value, float8_constant(lattice.origin), float8_constant(lattice.step),
                 float8_constant((double)lattice.low), float8_constant((double)lattice.high)));
}

// count(x), where a NaN counts as missing just as it does in sums: what an average divides by.
Aggref* value_count(Expr* value) {
  const Oid type = exprType((Node*)value);
  if (!has_nan(type)) return aggregate(F_COUNT_ANY, INT8OID, list_make1(value));
  Oid input, argument;
  getTypeInputInfo(type, &input, &argument);
  const Datum nan = OidInputFunctionCall(input, pstrdup("NaN"), argument, -1);
  const Oid equal = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
  OpExpr* differs =
      (OpExpr*)make_opclause(get_negator(equal), BOOLOID, false, value,
                             (Expr*)constant(type, InvalidOid, nan), InvalidOid, InvalidOid);
  set_opfuncid(differs);
  Aggref* count = aggregate(F_COUNT_, INT8OID, NIL);
  count->aggfilter = (Expr*)differs;  // neither NULL nor false passes
  return count;
}

// Groups are those of the categories' numbers: one of all undeclared values, which group_of drops,
// and cheaper to find than by the values themselves.
SortGroupClause* by_number(Index reference) {
  SortGroupClause* clause = makeNode(SortGroupClause);
  clause->tleSortGroupRef = reference;
  clause->eqop = Int4EqualOperator;
  clause->sortop = Int4LessOperator;
  clause->hashable = true;
  return clause;
}

Aggref* seen_aggregate(Expr* number, int categories) {
  const Oid types[] = {INT4OID, INT4OID};
  return aggregate(own_function("numbers_seen", lengthof(types), types), BYTEAOID,
                   list_make2(number, constant(INT4OID, InvalidOid, Int32GetDatum(categories))));
}

// Counts by cell, where the cells are told by an array of numbers.
Aggref* counts_aggregate(const char* name, Expr* value, const double* numbers, int count) {
  const Oid types[] = {FLOAT8OID, FLOAT8ARRAYOID};
  const Oid function = own_function(name, lengthof(types), types);
  Datum* elements = (Datum*)palloc(sizeof(Datum) * count);
  for (int i = 0; i < count; i++) elements[i] = Float8GetDatum(numbers[i]);
  ArrayType* array =
      construct_array(elements, count, FLOAT8OID, sizeof(double), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
  return aggregate(function, get_func_rettype(function),
                   list_make2(value, constant(FLOAT8ARRAYOID, InvalidOid, PointerGetDatum(array))));
}

// count(DISTINCT unit)
Aggref* unit_count(Expr* unit) {
  Aggref* count = aggregate(F_COUNT_ANY, INT8OID, list_make1(unit));
  SortGroupClause* clause = makeNode(SortGroupClause);
  linitial_node(TargetEntry, count->args)->ressortgroupref = clause->tleSortGroupRef = 1;
  get_sort_group_operators(exprType((Node*)unit), true, true, false, &clause->sortop, &clause->eqop,
                           NULL, &clause->hashable);
  count->inputcollid = exprCollation((Node*)unit);
  count->aggdistinct = list_make1(clause);
  return count;
}

// What decides on whether a group comes back. A unit that is not sampled has one row at most.
Aggref* found_by(const RowScope* scope, const QueryShape* shape) {
  return shape->joined.sampled ? unit_count((Expr*)unit_column(scope))
                               : aggregate(F_COUNT_, INT8OID, NIL);
}

// GROUP BY a key whose values are not public.
SortGroupClause* by_value(const KeyColumn* key, Index reference) {
  SortGroupClause* clause = makeNode(SortGroupClause);
  clause->tleSortGroupRef = reference;
  get_sort_group_operators(key->type, true, true, false, &clause->sortop, &clause->eqop, NULL,
                           &clause->hashable);
  return clause;
}

Aggref* unfiltered_aggregate(const QueryStatistic* statistic) {
  Expr* value = (Expr*)copyObjectImpl(statistic->value);
  switch (statistic->kind) {
    case StatisticKind::rows:
      return aggregate(F_COUNT_, INT8OID, NIL);
    case StatisticKind::values:
      return value_count(value);
    case StatisticKind::sum:
      return lattice_aggregate("lattice_sum", value, statistic->lattice);
    case StatisticKind::squares:
      return lattice_aggregate("lattice_squares", value, statistic->centred);
    case StatisticKind::distinct:
      return seen_aggregate(value, statistic->categories);
    case StatisticKind::tree: {
      const CellCut& cut = statistic->tree->cut;
      const double numbers[] = {cut.lower(), cut.limit(), (double)cut.cells()};
      return counts_aggregate("cell_counts", value, numbers, lengthof(numbers));
    }
    case StatisticKind::bins:
      return counts_aggregate("edge_counts", value, statistic->edge, statistic->cells + 1);
    case StatisticKind::units:
      return unit_count(value);
  }
  elog(ERROR, "statistic %s is of no known kind", statistic->text);
}

Aggref* exact_aggregate(const QueryStatistic* statistic) {
  Aggref* exact = unfiltered_aggregate(statistic);
  exact->aggfilter =
      (Expr*)make_and_qual((Node*)copyObjectImpl(statistic->filter), (Node*)exact->aggfilter);
  return exact;
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

}  // namespace

Query* statistics_query(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups,
                        const QueryStatistics* statistics, const Contribution& unit) {
  Query* made = (Query*)copyObjectImpl(scope->query);
  made->targetList = made->groupClause = made->sortClause = NIL;
  made->havingQual = made->limitOffset = made->limitCount = NULL;  // of released rows
  made->limitOption = LIMIT_OPTION_COUNT;
  made->hasAggs = true;
  made->jointree->fromlist = (List*)copyObjectImpl(shape->from);
  made->jointree->quals = (Node*)copyObjectImpl(shape->where);
  AttrNumber number = 1;
  for (int k = 0; k < groups->keys; k++) {
    const KeyColumn* key = &groups->key[k];
    Expr* category = key->categories > 0
                         ? category_number(key->expression, key->value, key->categories)
                         : (Expr*)copyObjectImpl(key->expression);
    TargetEntry* entry = makeTargetEntry(category, number++, NULL, false);
    entry->ressortgroupref = k + 1;
    made->targetList = lappend(made->targetList, entry);
    made->groupClause =
        lappend(made->groupClause, key->categories > 0 ? by_number(k + 1) : by_value(key, k + 1));
    if (groups->discovered) require_value(made, category);
  }
  for (int i = 0; i < statistics->count; i++) {
    // Equal aggregates are computed once.
    Expr* exact = (Expr*)exact_aggregate(&statistics->statistic[statistics->carrier[i]]);
    made->targetList = lappend(made->targetList, makeTargetEntry(exact, number++, NULL, false));
  }
  if (groups->discovered) {
    made->targetList = lappend(
        made->targetList, makeTargetEntry((Expr*)found_by(scope, shape), number++, NULL, false));
  }
  for (int i = 0; i < scope->sources->count; i++) {
    const QuerySource* source = &scope->sources->source[i];
    RangeTblEntry* entry = (RangeTblEntry*)list_nth(made->rtable, source->varno - 1);
    check_as_user(made, entry, source->owner);
    if (bms_is_member(source->varno, shape->joined.alone)) entry->inh = false;
  }
  return shape->joined.sampled ? sample_units(made, unit_column(scope), unit) : made;
}

void read_exact(const QueryStatistics* statistics, int i, Datum value, bool null, Int128* cells) {
  if (null) return;
  const QueryStatistic* part = &statistics->statistic[i];
  switch (statistics->statistic[statistics->carrier[i]].kind) {
    case StatisticKind::rows:
    case StatisticKind::values:
    case StatisticKind::units:
      cells[0] = DatumGetInt64(value);
      break;
    case StatisticKind::sum:
      cells[0] = part_of(part, read_sum_state(value));
      break;
    case StatisticKind::squares: {
      const LatticeSquares state = read_squares_state(value);
      cells[0] = part->kind == StatisticKind::squares ? state.squares : part_of(part, state.sum);
      break;
    }
    case StatisticKind::distinct:
      cells[0] = read_numbers_seen(value);
      break;
    case StatisticKind::tree:
    case StatisticKind::bins:
      read_cells(part, value, cells);
      break;
  }
}

}  // namespace dpmix::pg
