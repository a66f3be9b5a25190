#include "pg/query/layers/layered.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/blocks_read.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/catalog/person_table.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/unique_key.hpp"
#include "pg/catalog/unit_link.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/query/blocks/narrowing.hpp"
#include "pg/query/layers/grouped.hpp"
#include "pg/query/layers/layer.hpp"
#include "pg/query/layers/levels.hpp"
#include "pg/query/layers/read_conditions.hpp"
#include "pg/query/layers/shard_rows.hpp"
#include "pg/query/read/temporary_tables.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/construct_names.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/units/held_entries.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// Opening -----------------------------------------------------------------------------------------

// twice: the text has no sub-select, but one table more than once.
void refuse_unpersonal(const ProtectedTable* table, bool twice) {
  if (table->adjacency == Adjacency::label) {
    refuse_construct(psprintf("a sub-select over %s is", table->name),
                     "It protects a label alone: adjacency add_remove or replace is needed.");
  }
  if (table->unit != InvalidAttrNumber || table->link != NULL) return;
  refuse_construct(
      psprintf(twice ? "joining %s with itself is" : "a sub-select over %s is", table->name),
      "Its privacy unit is the row; protected with privacy_unit, the column that "
      "names the person, it can be asked what each person did.");
}

void require_one_account(const LayerTables* all, const ProtectedTable* table) {
  const ListCell* cell;
  foreach (cell, all->tables) {
    const ProtectedTable* other = (const ProtectedTable*)lfirst(cell);
    if (other == NULL || other->account == table->account) continue;
    refuse_construct(psprintf("a sub-select over %s and %s, which have budgets of their own, is",
                              other->name, table->name),
                     "Their owner puts them into one population: dpmix.create_population.");
  }
}

void hold(LayerTables* all, Oid relation, const ProtectedTable* table, const UnitOfRow& unit) {
  if (is_distributed(relation)) {
    all->on_shards = true;
    if (table != NULL && has_blocks(table->blocks)) {
      refuse_construct("a sub-select over a distributed table with blocks is",
                       "Ask for the table itself, with a condition on its blocks.");
    }
  }
  const double rows = table == NULL          ? most_rows_in(relation)
                      : table->samples_units ? table->rows_of_unit
                                             : 1;
  Expr* within = NULL;
  if (table != NULL && has_blocks(table->blocks)) {
    BlocksOfTable* of = (BlocksOfTable*)palloc(sizeof(BlocksOfTable));
    *of = {table, narrow_references(table, all->text, all->unknown)};
    all->blocks = lappend(all->blocks, of);
    within = within_blocks(table, 1, of->read);
  }
  (void)hold_units_of(all->held, relation, relation_owner(relation), unit, within, rows);
  all->relations = lappend_oid(all->relations, relation);
  all->tables = lappend(all->tables, (void*)table);
}

// Each value of a key that other tables name is one person's, where an index shows that it is
// unique.
void note_keys(LayerTables* all, Oid relation) {
  const List* unique = unique_keys(relation);
  const ListCell* cell;
  foreach (cell, keys_of_links(relation)) {
    const UnitLink* key = (const UnitLink*)lfirst(cell);
    if (has_key_of(*key, unique)) all->keys = lappend(all->keys, (void*)key);
  }
}

// Holds a table, after those through which its rows belong to units; returns its place.
int hold_private(LayerTables* all, const ProtectedTable* table) {
  int place = 0;
  const ListCell* cell;
  foreach (cell, all->relations) {
    if (lfirst_oid(cell) == table->relation) return place;
    place++;
  }
  refuse_unpersonal(table, all->twice);
  require_one_account(all, table);
  UnitOfRow unit = {};
  unit.column = table->unit;
  if (const UnitLink* link = table->link) {
    unit.target = hold_private(all, open_linked(link->target, Named::in_text));
    unit.columns = link->columns;
    unit.link = link->column;
    unit.key = link->target_column;
  }
  note_keys(all, table->relation);
  hold(all, table->relation, table, unit);
  return list_length(all->tables) - 1;
}

void open_table(LayerTables* all, const Query* query, RangeTblEntry* entry) {
  if (list_member_oid(all->relations, entry->relid)) return;
  if (is_public_here(entry->relid) && may_read(query, entry)) {
    hold(all, entry->relid, NULL, {});
  } else {
    (void)hold_private(all, open_linked(entry->relid, Named::in_text));
  }
}

void require_public_temporaries(const LayerTables* all) {
  const ListCell *relation, *table, *other;
  forboth(relation, all->relations, table, all->tables) {
    if (lfirst(table) != NULL || !is_own_temporary(lfirst_oid(relation))) continue;
    foreach (other, all->tables) {
      if (lfirst(other) == NULL) continue;
      require_nothing_protected(lfirst_oid(relation), (const ProtectedTable*)lfirst(other));
    }
  }
}

struct Opening {
  LayerTables* all;
  const Query* query;
};

bool open_tables(Node* node, void* arg) {
  if (node == NULL) return false;
  Opening* opening = (Opening*)arg;
  if (IsA(node, Query)) {
    Opening below = {opening->all, (const Query*)node};
    return walk_with_entries((Query*)node, open_tables, &below);
  }
  if (IsA(node, RangeTblEntry)) {
    RangeTblEntry* entry = (RangeTblEntry*)node;
    if (is_table(entry)) open_table(opening->all, opening->query, entry);
    return false;
  }
  return walk_expression(node, open_tables, arg);
}

// What is read ------------------------------------------------------------------------------------

struct Levels {  // of queries around a column
  const Query* query;
  const Levels* outer;
  HeldUnits* held;
};

const RangeTblEntry* entry_of(const Levels* levels, const Var* column) {
  for (Index up = column->varlevelsup; up > 0 && levels != NULL; up--) levels = levels->outer;
  if (levels == NULL || column->varno > (int)list_length(levels->query->rtable)) return NULL;
  return rt_fetch(column->varno, levels->query->rtable);
}

bool note_columns(Node* node, void* arg) {
  if (node == NULL) return false;
  const Levels* levels = (const Levels*)arg;
  if (IsA(node, Query)) {
    Levels below = {(const Query*)node, levels, levels->held};
    return walk_query((Query*)node, note_columns, &below);
  }
  if (IsA(node, Var)) {
    const Var* column = (const Var*)node;
    const RangeTblEntry* entry = entry_of(levels, column);
    const int place = entry != NULL ? place_of_rows(entry) : -1;
    if (place >= 0 && column->varattno > 0) read_column_of(levels->held, place, column->varattno);
  }
  return walk_expression(node, note_columns, arg);
}

// SELECT r.*, u.unit FROM the units u, LATERAL what is made of the rows of one of them AS r
Query* rows_of_all(const LayerQuery* level) {
  Query* rows = makeNode(Query);
  rows->commandType = CMD_SELECT;
  rows->canSetTag = true;
  RangeTblEntry* made = makeNode(RangeTblEntry);
  made->inFromCl = true;
  if (level->layer->one && level->made->limitCount == NULL) {  // whatever an index says
    level->made->limitCount = (Node*)constant(INT8OID, InvalidOid, Int64GetDatum(1));
    level->made->limitOption = LIMIT_OPTION_COUNT;
  }
  become_subquery(made, level->made);
  made->lateral = true;
  rows->rtable = list_make2(units_entry(level->all->held), made);
  List* from = NIL;
  for (int i = 1; i <= 2; i++) {
    RangeTblRef* reference = makeNode(RangeTblRef);
    reference->rtindex = i;
    from = lappend(from, reference);
  }
  rows->jointree = makeFromExpr(from, NULL);
  for (int i = 0; i < level->layer->columns; i++) {
    const LayerColumn& column = level->layer->column[i];
    add_column(rows, (Expr*)makeVar(2, (AttrNumber)(i + 1), column.type, column.typmod,
                                    column.collation, 0));
  }
  add_column(rows, (Expr*)makeVar(1, 1, INT4OID, -1, InvalidOid, 0));
  return rows;
}

// How the layer's rows differ where all rows of a unit come, go or change, in all tables of its
// population, or in one (docs/proofs/people.md).
Adjacency adjacency_of_rows(const LayerQuery* level) {
  const Layer* layer = level->layer;
  const ProtectedTable* first = (const ProtectedTable*)linitial(layer->tables);
  bool shifts = first->adjacency == Adjacency::replace;
  int place = 0;
  const ListCell *relation, *cell;
  forboth(relation, level->all->relations, cell, level->all->tables) {
    const ProtectedTable* table = (const ProtectedTable*)lfirst(cell);
    const bool required = bms_is_member(place++, level->required);
    if (table == NULL) continue;
    const bool blocks = has_blocks(table->blocks);
    if (!blocks && (required || list_length(layer->tables) == 1)) continue;
    if (!required && first->adjacency == Adjacency::replace) {
      refuse_construct("a row of one person without any in a table of adjacency replace is",
                       "Join the tables with JOIN; one changed unit would change the rows of two.");
    }
    shifts = true;
  }
  return shifts ? Adjacency::replace : Adjacency::add_remove;
}

// Tables without a row in which a person is in no group, where others say who the people are; NULL:
// none.
const char* tables_that_leave_out(const LayerQuery* level) {
  StringInfoData names;
  initStringInfo(&names);
  const Bitmapset* needed = bms_intersect(level->all->grouped, level->required);
  for (int place = -1; (place = bms_next_member(needed, place)) >= 0;) {
    const ProtectedTable* table = (const ProtectedTable*)list_nth(level->all->tables, place);
    appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", table->name);
  }
  const bool known =
      names.len > 0 && has_person_table((const ProtectedTable*)linitial(level->layer->tables));
  return known ? names.data : NULL;
}

Node* of_computed_types(Node* node, void* arg) {
  if (node == NULL) return NULL;
  if (!IsA(node, Var)) return mutate_expression(node, of_computed_types, arg);
  const Layer* layer = (const Layer*)arg;
  const Var* var = (const Var*)node;
  if (var->varattno <= 0 || var->varattno > layer->columns) return node;
  const LayerColumn& column = layer->column[var->varattno - 1];
  return column.computed() ? of_computed_type(var, column) : node;
}

// The first table, with the unit and the rows of the layer.
ProtectedTable* table_of_rows(const Layer* layer) {
  ProtectedTable* table = (ProtectedTable*)palloc(sizeof(ProtectedTable));
  *table = *(const ProtectedTable*)linitial(layer->tables);
  table->unit = layer->unit();
  table->rows_of_unit = (int)layer->most;
  table->samples_units = !layer->one;
  table->blocks = {};
  return table;
}

}  // namespace

namespace {

// Opens the tables of a text, in which copies take the place of names of WITH.
LayerTables* open_all(Query* query, UnknownBlocks unknown) {
  LayerTables* all = (LayerTables*)palloc0(sizeof(LayerTables));
  all->text = query;
  all->unknown = unknown;
  all->held = hold_no_units();
  all->twice = !has_queries(query);
  all->make = make_layer;
  inline_commons(query);
  Opening opening = {all, NULL};
  (void)open_tables((Node*)query, &opening);
  require_public_temporaries(all);
  return all;
}

Layer* make_whole_layer(LayerTables* all, const Query* rows, RowBytes* bytes) {
  const LayerQuery* level = make_layer(all, rows, NULL, 1, LayerAs::rows);
  Layer* layer = level->layer;
  if (layer->tables == NIL) {
    refuse_construct("a query over public tables alone is",
                     "Ask it in SQL; dpmix.query is for protected tables.");
  }
  *bytes = *level->bytes;
  layer->blocks = all->blocks;
  if (all->on_shards) {
    layer->one = has_one_grouped_row(level);
    layer->asked = layer->rows = rows_on_shards(level);
  } else {
    layer->held = all->held;
    hold_what_is_asked(all);
    Query* grouped = grouped_rows(level);  // before its rows are limited to one
    layer->asked = rows_of_all(level);
    layer->rows = grouped != NULL ? grouped : layer->asked;
  }
  const ListCell *relation, *cell;
  forboth(relation, all->relations, cell, all->tables) {
    if (lfirst(cell) == NULL) {
      layer->publics = lappend_oid(layer->publics, lfirst_oid(relation));
    } else {  // also where rows belong to units through it alone
      layer->tables = list_append_unique_ptr(layer->tables, lfirst(cell));
    }
  }
  const Levels none = {NULL, NULL, all->held};
  if (all->on_shards) {
    require_layer_on_shards(layer);
  } else {
    (void)note_columns((Node*)layer->rows, (void*)&none);
  }
  layer->adjacency = adjacency_of_rows(level);
  layer->without = tables_that_leave_out(level);
  return layer;
}

QuerySources* only_source(const Layer* layer) {
  QuerySources* sources = (QuerySources*)palloc0(sizeof(QuerySources));
  sources->source = (QuerySource*)palloc0(sizeof(QuerySource));
  sources->count = 1;
  sources->first = table_of_rows(layer);
  sources->source[0] = {1, sources->first->relation, sources->first, sources->first->owner, layer};
  return sources;
}

}  // namespace

RowScope layered_scope(const Query* text, bool all_blocks) {
  if (text->setOperations != NULL) {
    refuse_construct(
        "UNION, INTERSECT or EXCEPT of answers is",
        "Call dpmix.query once for each part; or aggregate above a sub-select of them.");
  }
  Query* query = (Query*)copyObjectImpl(text);
  LayerTables* all = open_all(query, all_blocks ? UnknownBlocks::all : UnknownBlocks::refused);
  RowScope scope = {};
  scope.bytes = (RowBytes*)palloc0(sizeof(RowBytes));
  scope.query = query;
  scope.sources = only_source(make_whole_layer(all, take_rows_out(query), scope.bytes));
  use_computed_types(query, &scope);
  return scope;
}

RowScope layer_scope(const Query* rows) {
  Query* query = (Query*)copyObjectImpl(rows);
  LayerTables* all = open_all(query, UnknownBlocks::all);
  RowScope scope = {};
  scope.bytes = (RowBytes*)palloc0(sizeof(RowBytes));
  scope.sources = only_source(make_whole_layer(all, query, scope.bytes));
  return scope;
}

void use_computed_types(Query* text, const RowScope* scope) {
  Layer* layer = (Layer*)scope->sources->source[0].layer;
  text->targetList = (List*)of_computed_types((Node*)text->targetList, layer);
  text->havingQual = of_computed_types(text->havingQual, layer);
  text->jointree->quals = of_computed_types(text->jointree->quals, layer);
}

void run_layers(Query* query, const QuerySources* sources) {
  for (int i = 0; i < sources->count; i++) {
    const QuerySource* source = &sources->source[i];
    if (source->layer == NULL) continue;
    become_subquery(rt_fetch(source->varno, query->rtable),
                    (Query*)copyObjectImpl(source->layer->rows));
  }
}

HeldUnits* held_by(const QuerySources* sources) {
  const Layer* layer = sources->count == 1 ? sources->source[0].layer : NULL;
  return layer != NULL ? layer->held : NULL;
}

}  // namespace dpmix::pg
