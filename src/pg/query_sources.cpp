#include "pg/query_sources.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
}

#include "pg/query_refusal.hpp"

namespace dpmix::pg {

QuerySources* open_sources(const Query* query) {
  QuerySources* sources = (QuerySources*)palloc0(sizeof(QuerySources));
  sources->source = (QuerySource*)palloc0(sizeof(QuerySource) * (list_length(query->rtable) + 1));
  Index varno = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    varno++;
    if (entry->rtekind != RTE_RELATION) continue;
    const ProtectedTable* table = open_protected_units(entry->relid);
    if (sources->first == NULL) sources->first = table;
    sources->source[sources->count++] = {varno, entry->relid, table};
    break;
  }
  return sources;
}

void check_from(const RowScope* scope) {
  const Query* query = scope->query;
  if (scope->sources->count == 0) {
    refuse_construct(query->rtable == NIL ? "a query without a table is"
                                          : "FROM something other than a table is",
                     kOneTable);
  }
  if (list_length(query->jointree->fromlist) != 1 || list_length(query->rtable) != 1 ||
      !IsA(linitial(query->jointree->fromlist), RangeTblRef)) {
    refuse_construct("a join, a second table or a subquery in FROM is", kOneTable);
  }
  const RangeTblEntry* table = linitial_node(RangeTblEntry, query->rtable);
  if (table->rtekind != RTE_RELATION ||
      (table->relkind != RELKIND_RELATION && table->relkind != RELKIND_PARTITIONED_TABLE)) {
    refuse_construct("FROM something other than a table is", kOneTable);
  }
  if (!table->inh) {
    refuse_construct("ONLY is",
                     "Leave it out: partitions and inheriting tables belong to the table.");
  }
  if (table->tablesample != NULL) {
    refuse_construct("TABLESAMPLE is",
                     "Leave it out: sampling would change the noise that is needed.");
  }
}

const QuerySource* source_of(const RowScope* scope, const Var* column) {
  for (int i = 0; column->varlevelsup == 0 && i < scope->sources->count; i++) {
    if (scope->sources->source[i].varno == (Index)column->varno) return &scope->sources->source[i];
  }
  refuse_construct("an outer reference is", kOneTable);
}

Var* unit_column(const RowScope* scope) {
  const ProtectedTable* table = scope->sources->first;
  for (int i = 0; i < scope->sources->count; i++) {
    const QuerySource* source = &scope->sources->source[i];
    if (source->table != table) continue;
    Oid type, collation;
    int32 typmod;
    get_atttypetypmodcoll(table->relation, table->unit, &type, &typmod, &collation);
    return makeVar((int)source->varno, table->unit, type, typmod, collation, 0);
  }
  elog(ERROR, "the query reads no protected table");
}

ColumnDomain bounds_of(const RowScope* scope, const Var* column) {
  return require_bounds(source_of(scope, column)->table, column->varattno);
}

ColumnDomain categories_of(const RowScope* scope, const Var* column) {
  return require_categories(source_of(scope, column)->table, column->varattno);
}

const char* column_text(const RowScope* scope, const Var* column) {
  return quote_identifier(get_attname(source_of(scope, column)->relation, column->varattno, false));
}

}  // namespace dpmix::pg
