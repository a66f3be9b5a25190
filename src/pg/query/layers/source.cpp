#include "pg/query/layers/source.hpp"

#include "pg/border/guard.hpp"
#include "pg/catalog/asked_columns.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/catalog/made_rows.hpp"
#include "pg/query/layers/layered.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/read/text.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
}

namespace dpmix::pg {
namespace {

const Layer* layer_of(const MadeRows* rows) {
  return rows->scope->sources->source[0].layer;
}

Var* column_of(const MadeRows* rows, AttrNumber column) {
  const MadeColumn& made = made_column(rows, column);
  return makeVar(1, column, made.type, made.typmod, made.collation, 0);
}

// What is declared, where values are those of a column of a table; of a bucket or of what is
// computed, what follows.
ColumnDomain known_domain(const MadeRows* rows, AttrNumber column) {
  return domain_of(rows->scope, column_of(rows, column));
}

ColumnDomain known_bounds(const MadeRows* rows, AttrNumber column) {
  return bounds_of(rows->scope, column_of(rows, column));
}

ColumnDomain known_categories(const MadeRows* rows, AttrNumber column) {
  return categories_of(rows->scope, column_of(rows, column));
}

bool never_null(const LayerColumn& column) {
  if (column.nullable) return false;
  if (column.plain == NULL) return true;
  const QuerySource* source = source_of(column.scope, column.plain);
  return source->layer == NULL && is_never_null(source->relation, column.plain->varattno);
}

void require_names(const Layer* layer) {
  for (int i = 0; i < layer->columns; i++) {
    const char* name = layer->column[i].name;
    bool taken = strcmp(name, kMadeUnit) == 0;
    for (int j = 0; j < i; j++) taken = taken || strcmp(layer->column[j].name, name) == 0;
    if (!taken) continue;
    refuse_argument(psprintf("two columns of the source are named \"%s\"", name),
                    "A release tells its columns by their names.",
                    "Give one of them another name with AS.");
  }
}

MadeRows* made_rows(const char* text, const RowScope& scope) {
  MadeRows* rows = (MadeRows*)palloc0(sizeof(MadeRows));
  RowScope* kept = (RowScope*)palloc(sizeof(RowScope));
  *kept = scope;
  rows->scope = kept;
  const Layer* layer = layer_of(rows);
  require_names(layer);
  rows->text = text;
  rows->columns = layer->columns;
  rows->column = (MadeColumn*)palloc0(sizeof(MadeColumn) * layer->columns);
  for (int i = 0; i < layer->columns; i++) {
    const LayerColumn& column = layer->column[i];
    rows->column[i] = {.name = column.name,
                       .type = column.type,
                       .typmod = column.typmod,
                       .asked = column.asked,
                       .asked_typmod = column.asked_typmod,
                       .collation = column.collation,
                       .is_unit = column.is_unit,
                       .whole = column.whole,
                       .never_null = never_null(column)};
  }
  rows->query = layer->rows;
  // Whether a row counts is asked of each row, not of its unit.
  if (layer->held != NULL) plan_apart(rows->query);
  rows->held = layer->held;
  rows->row_bytes = scope.bytes->staying + scope.bytes->passing;
  rows->tables = layer->tables;
  const ListCell* cell;
  foreach (cell, layer->blocks) {
    rows->has_blocks = true;
    rows->blocks = joined_blocks(rows->blocks, ((const BlocksOfTable*)lfirst(cell))->read);
  }
  rows->domain = known_domain;
  rows->bounds = known_bounds;
  rows->categories = known_categories;
  return rows;
}

}  // namespace

ProtectedTable* table_of_text(const char* text) {
  const RowScope scope = layer_scope(analyse_query_text(text, NULL));
  ProtectedTable* table = (ProtectedTable*)scope.sources->first;
  table->made = made_rows(text, scope);
  table->adjacency = layer_of(table->made)->adjacency;
  return table;
}

}  // namespace dpmix::pg
