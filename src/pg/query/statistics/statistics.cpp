#include "pg/query/statistics/statistics.hpp"

#include "core/input/square_lattice.hpp"
#include "core/query/plan.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/category_number.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/statistics/cells.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {

namespace {

// No row can lack a value: a plain column of the only table, declared NOT NULL for all that the
// table has below it. Then its count is that of the rows.
bool never_missing(const RowScope* scope, const Expr* value) {
  if (!IsA(value, Var) || has_nan(((const Var*)value)->vartype) ||
      list_length(scope->query->rtable) != 1) {
    return false;
  }
  const Var* column = (const Var*)value;
  Relation table = table_open(source_of(scope, column)->relation, NoLock);  // locked by analysis
  // A partition has its table's constraints; a plain child may have dropped them.
  const bool certain =
      (table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE || !table->rd_rel->relhassubclass) &&
      has_no_nulls(RelationGetDescr(table), column->varattno);
  table_close(table, NoLock);
  return certain;
}

// Of rows that have this value; NULL: of rows.
int add_count(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate,
              Expr* value) {
  if (value != NULL && never_missing(scope, value)) value = NULL;
  const StatisticKind kind = value == NULL ? StatisticKind::rows : StatisticKind::values;
  return add_statistic(list, statistic_of(scope, aggregate, kind, "count", value, kCountLattice));
}

int add_distinct(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate) {
  const DeclaredNumber number = declared_number(scope, (Node*)aggregate->argument, aggregate->name);
  QueryStatistic distinct = statistic_of(scope, aggregate, StatisticKind::distinct, "distinct",
                                         number.expression, kCountLattice);
  distinct.categories = number.categories;
  return add_statistic(list, distinct);
}

// The column of the privacy unit: how many there are, declared or not.
bool is_unit(const RowScope* scope, const Expr* argument) {
  if (!IsA(argument, Var)) return false;
  const QuerySource* source = source_of(scope, (const Var*)argument);
  return source->table == scope->sources->first && source->table->unit != InvalidAttrNumber &&
         source->table->unit == ((const Var*)argument)->varattno;
}

int add_units(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate) {
  Expr* unit = safe_value(scope, (Node*)aggregate->argument);
  // A join may give a unit several rows where its table has one.
  if (!scope->sources->first->samples_units && list_length(scope->query->rtable) == 1) {
    return add_count(list, scope, aggregate, unit);  // a row each
  }
  return add_statistic(
      list, statistic_of(scope, aggregate, StatisticKind::units, "units", unit, kCountLattice));
}

int add_sum(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate,
            const SafeNumber& number, bool centred) {
  const Lattice lattice = guard([&] {
    return centred ? centred_lattice(number.lower, number.upper, number.integral)
                   : anchored_lattice(number.lower, number.upper, number.integral);
  });
  QueryStatistic sum = statistic_of(scope, aggregate, StatisticKind::sum,
                                    centred ? "centred sum" : "sum", number.value, lattice);
  sum.lower = number.lower;
  sum.upper = number.upper;
  sum.integral = number.integral;
  return add_statistic(list, sum);
}

int add_squares(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate,
                const SafeNumber& number, const Lattice& centred) {
  QueryStatistic squares = statistic_of(scope, aggregate, StatisticKind::squares, "centred squares",
                                        number.value, square_lattice(centred));
  squares.centred = centred;
  return add_statistic(list, squares);
}

// An average divides by how many values its sum has: their bounds may have given them one.
AggregateParts moments_of(QueryStatistics* list, const RowScope* scope,
                          const QueryAggregate* aggregate, bool squared) {
  const SafeNumber number = safe_number(scope, (Node*)aggregate->argument, aggregate->name);
  AggregateParts parts = {-1, -1, -1};
  parts.count = add_count(list, scope, aggregate, number.counted);
  parts.sum = add_sum(list, scope, aggregate, number, true);
  if (squared) {
    parts.squares = add_squares(list, scope, aggregate, number, list->statistic[parts.sum].lattice);
  }
  return parts;
}

AggregateParts parts_of(QueryStatistics* list, const RowScope* scope,
                        const QueryAggregate* aggregate, int most_cells) {
  Node* argument = (Node*)aggregate->argument;
  AggregateParts parts = {-1, -1, -1};
  switch (aggregate->kind) {
    case AggregateKind::count_rows:
      parts.count = add_count(list, scope, aggregate, NULL);
      break;
    case AggregateKind::count_values:
      parts.count = add_count(list, scope, aggregate, safe_value(scope, argument));
      break;
    case AggregateKind::count_distinct:
      parts.count = is_unit(scope, aggregate->argument) ? add_units(list, scope, aggregate)
                                                        : add_distinct(list, scope, aggregate);
      break;
    case AggregateKind::sum:
      parts.sum =
          add_sum(list, scope, aggregate, safe_number(scope, argument, aggregate->name), false);
      break;
    case AggregateKind::mean:
      return moments_of(list, scope, aggregate, false);
    case AggregateKind::variance:
    case AggregateKind::stddev:
      return moments_of(list, scope, aggregate, true);
    case AggregateKind::quantile:
      parts.cells = add_tree(list, scope, aggregate, most_cells);
      break;
    case AggregateKind::histogram:
      parts.cells = add_histogram(list, scope, aggregate);
      break;
  }
  return parts;
}

// dpmix.to_float8, or a cast that takes every value: neither makes nor hides a NULL or a NaN.
bool is_conversion(Oid function) {
  if (is_widening_cast(function)) return true;
  const char* name = get_func_name(function);
  return name != NULL && strcmp(name, "to_float8") == 0 && is_dpmix_function(function);
}

// Missing in the same rows: the same values, but for a conversion.
bool same_values(const Expr* value, const Expr* converted) {
  if (equal(value, converted)) return true;
  const auto* call = IsA(converted, FuncExpr) ? (const FuncExpr*)converted : NULL;
  return call != NULL && is_conversion(call->funcid) && equal(value, linitial(call->args));
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

}  // namespace

QueryStatistics* list_statistics(const RowScope* scope, const QueryShape* shape, int64 groups) {
  const int most = cells_of_quantiles(shape, groups);
  QueryStatistics* list = (QueryStatistics*)palloc0(sizeof(QueryStatistics));
  list->statistic = (QueryStatistic*)palloc(sizeof(QueryStatistic));
  list->parts = (AggregateParts*)palloc(sizeof(AggregateParts) * shape->aggregates);
  for (int i = 0; i < shape->aggregates; i++) {
    list->parts[i] = parts_of(list, scope, &shape->aggregate[i], most);
  }
  list->first = (int*)palloc(sizeof(int) * list->count);
  list->carrier = (int*)palloc(sizeof(int) * list->count);
  for (int i = 0; i < list->count; i++) {
    list->first[i] = list->cells;
    list->cells += list->statistic[i].cells;
    list->carrier[i] = (int)(carrier_of(list, &list->statistic[i]) - list->statistic);
  }
  check_cells(list, groups);
  return list;
}

}  // namespace dpmix::pg
