// dp_count_distinct: of declared categories, of values that nobody declared, of privacy units.
#include "core/query/plan.hpp"
#include "pg/query/aggregates/counts.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/category_number.hpp"
#include "pg/query/safe/columns.hpp"
#include "pg/query/statistics/seen_values.hpp"
#include "pg/query/statistics/shards.hpp"
#include "pg/query/statistics/sums.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// A column whose values the owner declared, or one that is public.
bool has_categories(const RowScope* scope, const Expr* value) {
  if (!IsA(value, Var) ||
      !may_be_key(exprType((const Node*)value), exprCollation((const Node*)value))) {
    return false;
  }
  const ProtectedTable* table = source_of(scope, (const Var*)value)->table;
  return table == NULL || domain_of(scope, (const Var*)value).categories > 0;
}

int add_different(const AskedStatistics& asked, Expr* value) {
  const RowScope* scope = asked.scope;
  const QueryAggregate* aggregate = asked.aggregate;
  const Oid type = exprType((const Node*)value);
  if (!can_be_seen(type)) {
    refuse_construct(
        psprintf("%s of type %s is", aggregate->name, format_type_be(type)),
        "Count values of a number, text, boolean, date, time stamp, uuid or enum type.");
  }
  const Oid collation = exprCollation((const Node*)value);
  if (OidIsValid(collation) && !get_collation_isdeterministic(collation)) {
    refuse_construct(
        psprintf("%s under a collation in which different texts are equal is", aggregate->name),
        "Add COLLATE \"C\", which counts texts that differ.");
  }
  if (any_distributed(scope->sources)) {
    refuse_construct(psprintf("%s of values that are not declared, over a distributed table, is",
                              aggregate->name),
                     "Different values of shards do not add up. Count a column with declared "
                     "categories (dpmix.set_categories).");
  }
  return add_statistic(asked.list, statistic_of(scope, aggregate, StatisticKind::different,
                                                "distinct", value, kCountLattice));
}

int add_distinct(const AskedStatistics& asked) {
  const RowScope* scope = asked.scope;
  Expr* value = safe_value(scope, (Node*)asked.aggregate->argument);
  if (!has_categories(scope, value)) return add_different(asked, value);
  const DeclaredNumber number = declared_number(scope, (const Var*)value);
  QueryStatistic distinct = statistic_of(scope, asked.aggregate, StatisticKind::distinct,
                                         "distinct", number.expression, kCountLattice);
  distinct.categories = number.categories;
  return add_statistic(asked.list, distinct);
}

// The column of the privacy unit: how many there are, declared or not.
bool is_unit(const RowScope* scope, const Expr* argument) {
  if (!IsA(argument, Var)) return false;
  const QuerySource* source = source_of(scope, (const Var*)argument);
  return source->table == scope->sources->first &&
         is_unit_column(source, ((const Var*)argument)->varattno);
}

int add_units(const AskedStatistics& asked) {
  const RowScope* scope = asked.scope;
  Expr* unit = safe_value(scope, (Node*)asked.aggregate->argument);
  // A join may give a unit several rows where its table has one.
  if (!scope->sources->first->samples_units && list_length(scope->query->rtable) == 1) {
    return add_count(asked, unit);  // a row each
  }
  return add_statistic(asked.list, statistic_of(scope, asked.aggregate, StatisticKind::units,
                                                "units", unit, kCountLattice));
}

AggregateParts count_of_different(const AskedStatistics& asked) {
  const bool units = is_unit(asked.scope, asked.aggregate->argument);
  return {units ? add_units(asked) : add_distinct(asked), -1, -1};
}

const Aggregate kDistinct({.name = "dp_count_distinct",
                           .stored = 2,
                           .takes = Takes::distinct,
                           .type = INT8OID,
                           .statistics = count_of_different,
                           .answer = counted,
                           .interval = counted_interval,
                           .form = counted_form,
                           .plain_text = "count(DISTINCT x)"});

}  // namespace
}  // namespace dpmix::pg
