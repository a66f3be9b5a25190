#include "pg/query/read/sources.hpp"

extern "C" {
#include "catalog/pg_inherits.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/owner/public_table.hpp"
#include "pg/query/read/public_domain.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {

namespace {

int count_tables(const Query* query) {
  int count = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    count += lfirst_node(RangeTblEntry, cell)->rtekind == RTE_RELATION;
  }
  return count;
}

// Or one of its children or partitions.
bool has_other_owner(Oid relation, Oid owner) {
  ListCell* cell;
  foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL)) {
    if (relation_owner(lfirst_oid(cell)) != owner) return true;
  }
  return false;
}

}  // namespace

QuerySources* open_sources(const Query* query) {
  const int count = count_tables(query);
  QuerySources* sources = (QuerySources*)palloc0(sizeof(QuerySources));
  sources->source = (QuerySource*)palloc0(sizeof(QuerySource) * (count + 1));
  Index varno = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    varno++;
    if (entry->rtekind != RTE_RELATION) continue;
    QuerySource* source = &sources->source[sources->count++];
    source->varno = varno;
    source->relation = entry->relid;
    // A table alone must be a protected one: no need to ask.
    if (count > 1 && is_declared_public(entry->relid) && may_read(query, entry)) {
      source->owner = relation_owner(entry->relid);
      continue;
    }
    source->table = open_protected_units(entry->relid);
    source->owner = source->table->owner;
    if (sources->first == NULL) sources->first = source->table;
  }
  return sources;
}

bool have_several_owners(const QuerySources* sources) {
  for (int i = 0; i < sources->count; i++) {
    if (has_other_owner(sources->source[i].relation, sources->source[0].owner)) return true;
  }
  return false;
}

List* public_tables(const QuerySources* sources) {
  List* tables = NIL;
  for (int i = 0; i < sources->count; i++) {
    const QuerySource* source = &sources->source[i];
    if (source->table == NULL) tables = lappend_oid(tables, source->relation);
  }
  return tables;
}

bool has_public_table_of_others(const QuerySources* sources) {
  for (int i = 0; i < sources->count; i++) {
    const QuerySource* source = &sources->source[i];
    if (source->table == NULL && source->owner != sources->first->owner) return true;
  }
  return false;
}

const QuerySource* source_of(const RowScope* scope, const Var* column) {
  for (int i = 0; column->varlevelsup == 0 && i < scope->sources->count; i++) {
    if (scope->sources->source[i].varno == (Index)column->varno) return &scope->sources->source[i];
  }
  refuse_construct("an outer reference is", kTables);
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

int protected_tables(const QuerySources* sources, const ProtectedTable*** tables) {
  int count = 0;
  *tables = (const ProtectedTable**)palloc(sizeof(ProtectedTable*) * sources->count);
  for (int i = 0; i < sources->count; i++) {
    const ProtectedTable* table = sources->source[i].table;
    if (table != NULL) (*tables)[count++] = table;
  }
  return count;
}

ColumnDomain bounds_of(const RowScope* scope, const Var* column) {
  const QuerySource* source = source_of(scope, column);
  if (source->table == NULL) return public_bounds(source->relation, column->varattno);
  return require_bounds(source->table, column->varattno);
}

ColumnDomain categories_of(const RowScope* scope, const Var* column) {
  const QuerySource* source = source_of(scope, column);
  if (source->table == NULL) return public_categories(source->relation, column->varattno);
  return require_categories(source->table, column->varattno);
}

Datum* category_values(const ColumnDomain& domain, const Var* column) {
  Datum* value = (Datum*)palloc(sizeof(Datum) * Max(domain.categories, 1));
  Oid input, argument;
  getTypeInputInfo(column->vartype, &input, &argument);
  for (int i = 0; i < domain.categories; i++) {
    value[i] = OidInputFunctionCall(input, domain.category[i], argument, column->vartypmod);
  }
  return value;
}

const char* column_text(const RowScope* scope, const Var* column) {
  return quote_identifier(get_attname(source_of(scope, column)->relation, column->varattno, false));
}

}  // namespace dpmix::pg
