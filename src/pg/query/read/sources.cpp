#include "pg/query/read/sources.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/table_row.hpp"
#include "pg/query/read/public_domain.hpp"
#include "pg/query/read/temporary_tables.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/trees/refusal.hpp"
#include "pg/trees/subquery.hpp"

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

// Tells the owner of an ordinary table what it lacks: he may have forgotten that a private query is
// to read it, too.
void refuse_ordinary_table(Oid relation) {
  const char kind = get_rel_relkind(relation);
  if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE) return;
  if (!has_privs_of_role(GetUserId(), relation_owner(relation))) return;
  const CatalogRow* row = find_catalog_row(relation);
  if (row != NULL && row->active) return;
  const char* name = qualified_name(relation);
  refuse(ErrorCode::not_protected,
         psprintf("table %s is neither protected nor declared public", name),
         "A private query reads protected tables, and public ones that are joined with them.",
         psprintf("If all of its rows are public, SELECT dpmix.declare_public(%s). In plain SQL, "
                  "aggregate in a sub-select, and join the table with the result.",
                  quote_literal_cstr(name)));
}

void require_public_temporaries(const QuerySources* sources) {
  for (int i = 0; i < sources->count; i++) {
    const QuerySource* source = &sources->source[i];
    if (source->table != NULL || !is_own_temporary(source->relation)) continue;
    for (int j = 0; j < sources->count; j++) {
      if (sources->source[j].table == NULL) continue;
      require_nothing_protected(source->relation, sources->source[j].table);
    }
  }
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
    if (count > 1 && is_public_here(entry->relid) && may_read(query, entry)) {
      source->owner = relation_owner(entry->relid);
      continue;
    }
    if (count > 1) refuse_ordinary_table(entry->relid);
    source->table = open_protected_units(entry->relid, Named::in_text);
    source->owner = source->table->owner;
    if (sources->first == NULL) sources->first = source->table;
  }
  require_public_temporaries(sources);
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
    if (source->layer != NULL) continue;  // what it reads is held
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

const RowScope* scope_of(const RowScope* scope, const Var* column) {
  for (Index level = column->varlevelsup; level > 0 && scope != NULL; level--) scope = scope->outer;
  if (scope == NULL) refuse_construct("an outer reference is", kTables);
  return scope;
}

const QuerySource* source_of(const RowScope* scope, const Var* column) {
  const QuerySources* sources = scope_of(scope, column)->sources;
  for (int i = 0; i < sources->count; i++) {
    if (sources->source[i].varno == (Index)column->varno) return &sources->source[i];
  }
  refuse_construct("an outer reference is", kTables);
}

const LayerColumn* layer_column(const RowScope* scope, const Var* column) {
  const Layer* layer = source_of(scope, column)->layer;
  const bool has = layer != NULL && column->varattno > 0 && column->varattno <= layer->columns;
  return has ? &layer->column[column->varattno - 1] : NULL;
}

List* relations_of(const QuerySource* source) {
  if (source->layer == NULL) return list_make1_oid(source->relation);
  List* relations = list_copy(source->layer->publics);
  ListCell* cell;
  foreach (cell, source->layer->tables) {
    relations = lappend_oid(relations, ((const ProtectedTable*)lfirst(cell))->relation);
  }
  return relations;
}

int tables_of(const QuerySource* source, const ProtectedTable*** tables) {
  const List* all = source->layer != NULL   ? source->layer->tables
                    : source->table != NULL ? list_make1((void*)source->table)
                                            : NIL;
  *tables = (const ProtectedTable**)palloc(sizeof(void*) * (list_length(all) + 1));
  int count = 0;
  const ListCell* cell;
  foreach (cell, all) (*tables)[count++] = (const ProtectedTable*)lfirst(cell);
  return count;
}

namespace {

// Of a layer: which category a row had is known below it alone.
ColumnDomain of_all_rows(ColumnDomain domain) {
  domain.by = NULL;
  return domain;
}

}  // namespace

double measure_of(const QuerySource* source, double (*measure)(Oid relation)) {
  double sum = 0;
  ListCell* cell;
  foreach (cell, relations_of(source)) sum += measure(lfirst_oid(cell));
  return sum;
}

ColumnDomain domain_of(const RowScope* scope, const Var* column) {
  const QuerySource* source = source_of(scope, column);
  if (source->table == NULL) return {};
  const LayerColumn* made = layer_column(scope, column);
  if (made == NULL) return column_domain(source->table, column->varattno);
  if (made->plain == NULL) return made->domain;
  const QuerySource* below = source_of(made->scope, made->plain);
  if (below->table != NULL) return of_all_rows(domain_of(made->scope, made->plain));
  return holds_numbers(column->vartype) ? bounds_of(made->scope, made->plain) : ColumnDomain{};
}

bool is_unit_column(const QuerySource* source, AttrNumber column) {
  if (source->layer == NULL) {
    return source->table->unit != InvalidAttrNumber && source->table->unit == column;
  }
  return column > 0 && column <= source->layer->columns &&
         source->layer->column[column - 1].is_unit;
}

Var* unit_column(const RowScope* scope) {
  const ProtectedTable* table = scope->sources->first;
  for (int i = 0; i < scope->sources->count; i++) {
    const QuerySource* source = &scope->sources->source[i];
    if (source->table != table) continue;
    if (source->layer != NULL) {
      Var* unit = column_of(source->layer->rows, source->layer->unit());
      unit->varno = (int)source->varno;
      return unit;
    }
    Oid type, collation;
    int32 typmod;
    get_atttypetypmodcoll(table->relation, table->unit, &type, &typmod, &collation);
    return makeVar((int)source->varno, table->unit, type, typmod, collation, 0);
  }
  elog(ERROR, "the query reads no protected table");
}

int protected_tables(const QuerySources* sources, const ProtectedTable*** tables) {
  int count = 0;
  *tables = NULL;
  for (int i = 0; i < sources->count; i++) {
    const ProtectedTable** of_source;
    const int more = tables_of(&sources->source[i], &of_source);
    const Size size = sizeof(void*) * (count + more + 1);
    *tables = (const ProtectedTable**)(*tables == NULL ? palloc(size) : repalloc(*tables, size));
    for (int j = 0; j < more; j++) (*tables)[count++] = of_source[j];
  }
  return count;
}

struct PublicBounds {
  PublicBounds* next;
  Oid relation;
  AttrNumber column;
  ColumnDomain domain;
};

namespace {

ColumnDomain known_public_bounds(const QuerySources* sources, Oid relation, AttrNumber column) {
  for (PublicBounds* known = sources->known; known != NULL; known = known->next) {
    if (known->relation == relation && known->column == column) return known->domain;
  }
  const MemoryContext lasting = GetMemoryChunkContext((void*)sources);
  PublicBounds* made = (PublicBounds*)MemoryContextAlloc(lasting, sizeof(PublicBounds));
  *made = {sources->known, relation, column, public_bounds(relation, column)};
  ((QuerySources*)sources)->known = made;
  return made->domain;
}

}  // namespace

namespace {

ColumnDomain require_computed_bounds(const LayerColumn* column) {
  if (column->domain.has_bounds) return column->domain;
  refuse(ErrorCode::domain_missing,
         psprintf("column %s of the sub-select has no bounds", quote_identifier(column->name)),
         "They follow of what it is computed from, where that has bounds.",
         psprintf("State them around it: least(greatest(%s, lower), upper).",
                  quote_identifier(column->name)));
}

ColumnDomain require_computed_categories(const LayerColumn* column) {
  if (column->domain.categories > 0) return column->domain;
  refuse(ErrorCode::domain_missing,
         psprintf("the values of column %s of the sub-select are not public",
                  quote_identifier(column->name)),
         "They follow of what it is computed from, where the values of that are declared.",
         "Use a column with declared categories, or bins of it.");
}

}  // namespace

ColumnDomain bounds_of(const RowScope* scope, const Var* column) {
  const QuerySource* source = source_of(scope, column);
  const LayerColumn* made = layer_column(scope, column);
  if (made != NULL && made->plain != NULL) return of_all_rows(bounds_of(made->scope, made->plain));
  if (made != NULL) return require_computed_bounds(made);
  if (source->table != NULL) return require_bounds(source->table, column->varattno);
  return known_public_bounds(scope_of(scope, column)->sources, source->relation, column->varattno);
}

ColumnDomain categories_of(const RowScope* scope, const Var* column) {
  const QuerySource* source = source_of(scope, column);
  const LayerColumn* made = layer_column(scope, column);
  if (made != NULL && made->plain != NULL) return categories_of(made->scope, made->plain);
  if (made != NULL) return require_computed_categories(made);
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
  const LayerColumn* made = layer_column(scope, column);
  if (made != NULL) return quote_identifier(made->name);
  return quote_identifier(get_attname(source_of(scope, column)->relation, column->varattno, false));
}

}  // namespace dpmix::pg
