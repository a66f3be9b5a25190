#include "pg/query/partial/exact_query.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
}

#include "pg/border/guard.hpp"
#include "pg/border/portable_text.hpp"
#include "pg/border/settings.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/category_number.hpp"
#include "pg/query/statistics/shards.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

// A unit's rows may lie in several databases: what each of them draws does not bound them all, nor
// do their numbers of units add up.
void refuse_sampled(const CheckedQuery& checked) {
  if (!checked.shape->joined.sampled) return;
  refuse(ErrorCode::query_not_allowed,
         psprintf("states of %s cannot be merged", checked.scope.sources->first->name),
         "A privacy unit may have several rows in this query; a private query draws some of them, "
         "of all rows, not of each database's own.",
         "There are states of tables whose rows are their units, or whose privacy_unit is unique, "
         "joined with public tables by unique keys.");
}

void refuse_layers(const CheckedQuery& checked) {
  if (checked.scope.sources->source[0].layer == NULL) return;
  refuse(ErrorCode::query_not_allowed, "there are no partial states of a query with sub-selects",
         "What a person did is told from all of his rows, which may lie in several databases.",
         "Ask it with dpmix.query where all of a person's rows are.");
}

// What several grouping sets say is made to agree when noise is added.
void refuse_sets(const CheckedQuery& checked) {
  if (checked.shape->sets == NULL) return;
  refuse(ErrorCode::query_not_allowed,
         "there are no partial states of GROUPING SETS, ROLLUP or CUBE",
         "Their tables are added up from the states of all keys.", "GROUP BY all of the keys.");
}

// Nor do numbers of different values.
void refuse_different(const CheckedQuery& checked) {
  for (int i = 0; i < checked.statistics->count; i++) {
    if (checked.statistics->statistic[i].kind != StatisticKind::different) continue;
    refuse(
        ErrorCode::query_not_allowed,
        "numbers of different values of several databases do not add up",
        psprintf("%s counts values that are not declared.", checked.statistics->statistic[i].text),
        "Count a column with declared categories (dpmix.set_categories).");
  }
}

// Citus adds up the states of its shards itself, and with what is its own.
void refuse_distributed_sources(const CheckedQuery& checked) {
  if (!any_distributed(checked.scope.sources)) return;
  refuse(ErrorCode::query_not_allowed, "there are no partial states of a distributed table",
         "A table of this query is distributed by Citus.",
         "Use dpmix.query, which brings together what the shards compute.");
}

// The category of a number, as the caller sees it.
Expr* shown_category(const KeyColumn* key, Expr* number) {
  SubscriptingRef* element = makeNode(SubscriptingRef);
  element->refcontainertype = get_array_type(key->shown_type);
  element->refelemtype = element->refrestype = key->shown_type;
  element->reftypmod = -1;
  element->refcollid = key->collation;
  element->refupperindexpr = list_make1(number);
  element->refexpr =
      (Expr*)category_array(key->shown_type, key->collation, key->shown, key->categories);
  return (Expr*)element;
}

bool is_taken(const List* columns, const char* name) {
  ListCell* cell;
  foreach (cell, columns) {
    if (strcmp(lfirst_node(TargetEntry, cell)->resname, name) == 0) return true;
  }
  return false;
}

void add_column(List** columns, TargetEntry* entry, const char* name) {
  constexpr int kSuffix = 8;
  char* wanted = pnstrdup(name, pg_mbcliplen(name, strlen(name), NAMEDATALEN - 1 - kSuffix));
  entry->resname = wanted;
  for (int n = 2; is_taken(*columns, entry->resname); n++) {
    entry->resname = psprintf("%s_%d", wanted, n);
  }
  entry->resno = (AttrNumber)(list_length(*columns) + 1);
  *columns = lappend(*columns, entry);
}

// The column itself; what is computed has no name that is the same in all versions of PostgreSQL.
const char* argument_name(const CheckedQuery& checked, const Expr* argument) {
  const Node* value = strip_implicit_coercions((Node*)argument);
  if (!IsA(value, Var)) return "expression";
  const Var* column = (const Var*)value;
  return get_attname(source_of(&checked.scope, column)->relation, column->varattno, false);
}

const char* key_name(const CheckedQuery& checked, int k) {
  const QueryKey* key = &checked.shape->key[k];
  const TargetEntry* asked =
      get_sortgroupclause_tle((SortGroupClause*)key->clause, checked.scope.query->targetList);
  if (!asked->resjunk && asked->resname != NULL) return asked->resname;
  return argument_name(checked, key->expression);
}

const char* kind_name(StatisticKind kind) {
  switch (kind) {
    case StatisticKind::rows:
      return "rows";
    case StatisticKind::values:
      return "values";
    case StatisticKind::sum:
      return "sum";
    case StatisticKind::squares:
      return "squares";
    case StatisticKind::distinct:
      return "distinct";
    case StatisticKind::tree:
      return "cells";
    case StatisticKind::drawn:
      return "drawn";
    case StatisticKind::bins:
      return "bins";
    case StatisticKind::units:
      return "units";
    case StatisticKind::different:
      return "different";
  }
  elog(ERROR, "a statistic is of no known kind");
}

// The first that is made of the statistic; that of a tree's first level is made of all its levels.
const QueryAggregate* aggregate_of(const CheckedQuery& checked, int statistic, bool* of_y) {
  for (int a = 0; a < checked.shape->aggregates; a++) {
    const AggregateParts& parts = checked.statistics->parts[a];
    if (parts.has(statistic) || parts.cells == statistic) {
      *of_y = statistic == parts.y_sum || statistic == parts.y_squares;
      return &checked.shape->aggregate[a];
    }
  }
  elog(ERROR, "statistic %d is part of no aggregate", statistic);
}

const char* statistic_name(const CheckedQuery& checked, int i) {
  const QueryStatistic* statistic = &checked.statistics->statistic[i];
  bool of_y;
  const QueryAggregate* aggregate = aggregate_of(checked, i, &of_y);
  const Expr* argument = of_y ? aggregate->second : aggregate->argument;
  const char* kind = kind_name(statistic->kind);
  const char* filtered = statistic->filter != NULL ? "_filtered" : "";
  if (statistic->kind == StatisticKind::rows) return psprintf("%s%s", kind, filtered);
  return psprintf("%s_%s%s", kind, argument_name(checked, argument), filtered);
}

}  // namespace

Query* partial_query(const CheckedQuery& checked) {
  refuse_layers(checked);
  refuse_sampled(checked);
  refuse_sets(checked);
  refuse_different(checked);
  refuse_distributed_sources(checked);
  const QueryGroups* groups = checked.groups;
  Query* made = plain_scan_tree(&checked.scope, checked.shape, groups, checked.statistics);
  List* computed = made->targetList;
  List* columns = NIL;
  made->groupClause = NIL;
  for (int k = 0; k < groups->keys; k++) {
    const KeyColumn* key = &groups->key[k];
    TargetEntry* entry = list_nth_node(TargetEntry, computed, k);
    require_value(made, entry->expr);  // what is not among the public values is in no group
    entry->expr = shown_category(key, entry->expr);
    made->groupClause = lappend(made->groupClause, sort_clause(key->shown_type, k + 1));
    add_column(&columns, entry, key_name(checked, k));
  }
  List* known = NIL;
  for (int i = 0; i < checked.statistics->count; i++) {
    TargetEntry* entry = list_nth_node(TargetEntry, computed, groups->keys + i);
    if (list_member(known, entry->expr)) continue;
    known = lappend(known, entry->expr);
    add_column(&columns, entry, statistic_name(checked, checked.statistics->carrier[i]));
  }
  made->targetList = columns;
  return made;
}

int begin_portable_sql() {
  const int level = begin_portable_text();
  constexpr Setting kLanguage[] = {{"search_path", "pg_catalog, pg_temp"},
                                   {"standard_conforming_strings", "on"},
                                   {"quote_all_identifiers", "off"},
                                   {"TimeZone", "UTC"}};
  for (const Setting& setting : kLanguage) set_for_now(setting);
  return level;
}

char* text_of_query(Query* query) {
  const int level = begin_portable_sql();
  const char* text = pg_get_querydef(query, false);
  AtEOXact_GUC(false, level);
  return pstrdup(text + strspn(text, " "));
}

}  // namespace dpmix::pg
