#include "pg/query/statistics/statistics.hpp"

#include "core/input/square_lattice.hpp"
#include "core/query/plan.hpp"
#include "core/query/regression_answers.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/keys/coverage.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/category_number.hpp"
#include "pg/query/safe/columns.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/query/statistics/cells.hpp"
#include "pg/query/statistics/seen_values.hpp"
#include "pg/query/statistics/shards.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {

namespace {

// Of rows that have this value; NULL: of rows.
int add_count(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate,
              Expr* value) {
  if (value != NULL && never_missing(scope, value)) value = NULL;
  const StatisticKind kind = value == NULL ? StatisticKind::rows : StatisticKind::values;
  return add_statistic(list, statistic_of(scope, aggregate, kind, "count", value, kCountLattice));
}

// A column whose values the owner declared, or one that is public.
bool has_categories(const RowScope* scope, const Expr* value) {
  if (!IsA(value, Var) ||
      !may_be_key(exprType((const Node*)value), exprCollation((const Node*)value))) {
    return false;
  }
  const ProtectedTable* table = source_of(scope, (const Var*)value)->table;
  return table == NULL || column_domain(table, ((const Var*)value)->varattno).categories > 0;
}

int add_different(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate,
                  Expr* value) {
  const Oid type = exprType((const Node*)value);
  if (!can_be_seen(type)) {
    refuse_construct(
        psprintf("%s of type %s is", aggregate->name, format_type_be(type)),
        "Count values of a number, text, boolean, date, time stamp, uuid or enum type.");
  }
  if (any_distributed(scope->sources)) {
    refuse_construct(psprintf("%s of values that are not declared, over a distributed table, is",
                              aggregate->name),
                     "Different values of shards do not add up. Count a column with declared "
                     "categories (dpmix.set_categories).");
  }
  return add_statistic(list, statistic_of(scope, aggregate, StatisticKind::different, "distinct",
                                          value, kCountLattice));
}

int add_distinct(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate) {
  Expr* value = safe_value(scope, (Node*)aggregate->argument);
  if (!has_categories(scope, value)) return add_different(list, scope, aggregate, value);
  const DeclaredNumber number = declared_number(scope, (const Var*)value);
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

// The number where the other one is not missing, too.
SafeNumber beside(const RowScope* scope, const SafeNumber& number, const SafeNumber& other) {
  if (never_missing(scope, other.counted)) return number;
  const Oid type = exprType((Node*)other.counted);
  Expr* there = is_known(other.counted);
  if (has_nan(type)) {
    const Oid differs = get_negator(order_operator(type, BTEqualStrategyNumber));
    Expr* nan = (Expr*)constant(type, InvalidOid, nan_of(type));
    there = (Expr*)makeBoolExpr(
        AND_EXPR, list_make2(there, comparison(differs, (Expr*)copyObjectImpl(other.counted), nan)),
        -1);
  }
  SafeNumber made = number;
  made.value = case_when(there, number.value);
  made.counted = made.value;
  return made;
}

// In steps from the middle of the bounds. Total: a value between the bounds is finitely many.
Expr* steps_of(const SafeNumber& number, const Lattice& centred) {
  Expr* clamped = call_dpmix(
      "total_clamp", FLOAT8OID,
      list_make3(number.value, float8_constant(number.lower), float8_constant(number.upper)));
  Expr* distance =
      call_dpmix("total_subtract", FLOAT8OID, list_make2(clamped, float8_constant(centred.origin)));
  return call_dpmix("total_divide", FLOAT8OID, list_make2(distance, float8_constant(centred.step)));
}

struct Pair {
  SafeNumber x, y;
  bool swapped;  // so that what is asked of (x, y) and of (y, x) is one statistic
};

int add_products(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate,
                 const Pair& pair, const Lattice& x, const Lattice& y) {
  const SafeNumber &first = pair.swapped ? pair.y : pair.x,
                   &second = pair.swapped ? pair.x : pair.y;
  Expr* product = call_dpmix(
      "total_multiply", FLOAT8OID,
      list_make2(steps_of(first, pair.swapped ? y : x), steps_of(second, pair.swapped ? x : y)));
  const Lattice lattice =
      guard([&] { return product_lattice(x, y, pair.x.integral && pair.y.integral); });
  QueryStatistic products =
      statistic_of(scope, aggregate, StatisticKind::sum, "centred products", product, lattice);
  products.upper = lattice.step * static_cast<double>(lattice.high);
  products.lower = -products.upper;
  products.unit = x.step * y.step;
  return add_statistic(list, products);
}

int add_pairs(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate,
              const Pair& pair) {
  if (never_missing(scope, pair.x.counted))
    return add_count(list, scope, aggregate, pair.y.counted);
  const SafeNumber &first = pair.swapped ? pair.y : pair.x,
                   &second = pair.swapped ? pair.x : pair.y;
  return add_count(list, scope, aggregate, beside(scope, first, second).counted);
}

// For the text of a statistic of one: the other is named where rows without it are left out.
QueryAggregate one_of(const QueryAggregate* aggregate, Expr* argument, const SafeNumber& alone,
                      const SafeNumber& beside, Expr* other) {
  QueryAggregate one = *aggregate;
  one.name = "dp_covar";
  one.argument = argument;
  one.second = beside.value == alone.value ? NULL : other;
  return one;
}

// Of the rows that have both values; of each aggregate no more than it takes.
AggregateParts pair_parts(QueryStatistics* list, const RowScope* scope,
                          const QueryAggregate* aggregate) {
  const AggregateKind kind = aggregate->kind;
  const Pair pair = {safe_number(scope, (Node*)aggregate->argument, aggregate->name),
                     safe_number(scope, (Node*)aggregate->second, aggregate->name),
                     strcmp(expression_text(scope, (Node*)aggregate->argument),
                            expression_text(scope, (Node*)aggregate->second)) > 0};
  AggregateParts parts = {-1, -1, -1};
  parts.count = add_pairs(list, scope, aggregate, pair);
  if (kind == AggregateKind::pairs) return parts;
  const SafeNumber x = beside(scope, pair.x, pair.y), y = beside(scope, pair.y, pair.x);
  const QueryAggregate of_x = one_of(aggregate, aggregate->argument, pair.x, x, aggregate->second),
                       of_y = one_of(aggregate, aggregate->second, pair.y, y, aggregate->argument);
  parts.sum = add_sum(list, scope, &of_x, x, true);
  parts.y_sum = add_sum(list, scope, &of_y, y, true);
  const Lattice x_lattice = list->statistic[parts.sum].lattice,
                y_lattice = list->statistic[parts.y_sum].lattice;
  parts.products = add_products(list, scope, aggregate, pair, x_lattice, y_lattice);
  if (kind != AggregateKind::covariance) {
    parts.squares = add_squares(list, scope, &of_x, x, x_lattice);
  }
  if (kind == AggregateKind::correlation) {
    parts.y_squares = add_squares(list, scope, &of_y, y, y_lattice);
  }
  return parts;
}

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

AggregateParts parts_of(QueryStatistics* list, const RowScope* query_scope,
                        const QueryAggregate* aggregate, int most_cells) {
  const RowScope within = within_filter(query_scope, aggregate), *scope = &within;
  Node* argument = (Node*)aggregate->argument;
  AggregateParts parts = {-1, -1, -1};
  switch (aggregate->kind) {
    case AggregateKind::count_rows:
      parts.count = add_count(list, scope, aggregate, NULL);
      break;
    case AggregateKind::count_values:
      parts.count = add_count(list, scope, aggregate, safe_counted(scope, argument));
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
    case AggregateKind::pairs:
    case AggregateKind::covariance:
    case AggregateKind::correlation:
    case AggregateKind::slope:
    case AggregateKind::intercept:
      return pair_parts(list, scope, aggregate);
  }
  return parts;
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

bool same_values(const Expr* value, const Expr* converted) {
  if (equal(value, converted)) return true;
  const auto* call = IsA(converted, FuncExpr) ? (const FuncExpr*)converted : NULL;
  return call != NULL && is_conversion(call->funcid) && equal(value, linitial(call->args));
}

QueryStatistics* list_statistics(const RowScope* scope, const QueryShape* shape, int64 groups,
                                 int finest) {
  const int most = cells_of_quantiles(shape, groups, finest);
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
  return list;
}

}  // namespace dpmix::pg
