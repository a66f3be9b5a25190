#include "pg/query/layers/from_items.hpp"

#include "pg/border/compat.hpp"
#include "pg/query/check/from_clause.hpp"
#include "pg/query/layers/marks.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/trees/construct_names.hpp"
#include "pg/trees/refusal.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/units/held_entries.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
}

namespace dpmix::pg {

Var* unit_at_work(const LayerQuery* level) {
  return makeVar(1, 1, INT4OID, -1, InvalidOid, (Index)level->depth);
}

namespace {

int place_of(const LayerTables* all, Oid relation) {
  int place = 0;
  const ListCell* cell;
  foreach (cell, all->relations) {
    if (lfirst_oid(cell) == relation) return place;
    place++;
  }
  elog(ERROR, "a table of a layer that was not opened");
}

void take_table(LayerQuery* level, LayerItem* item, QuerySource* source,
                const RangeTblEntry* entry) {
  if (!entry->inh) refuse_construct("ONLY is", "Leave it out.");
  if (entry->tablesample != NULL) refuse_construct("TABLESAMPLE is", "Leave it out.");
  item->place = place_of(level->all, entry->relid);
  item->relation = entry->relid;
  item->table = (const ProtectedTable*)list_nth(level->all->tables, item->place);
  item->is_private = item->table != NULL;
  if (item->is_private) {
    item->most = item->table->samples_units ? item->table->rows_of_unit : 1;
    item->one = !item->table->samples_units;
  }
  *source = {item->varno, item->relation, item->table, InvalidOid, NULL};
}

struct Reading {  // what is read of columns of the query around
  Bitmapset* parts;
  Index depth;
};

bool read_parts(Node* node, void* arg) {
  if (node == NULL) return false;
  Reading* reading = (Reading*)arg;
  if (IsA(node, Query)) {
    reading->depth++;
    (void)walk_query((Query*)node, read_parts, arg);
    reading->depth--;
    return false;
  }
  if (IsA(node, Var) && ((const Var*)node)->varlevelsup == reading->depth) {
    reading->parts = bms_add_member(reading->parts, ((const Var*)node)->varno);
  }
  return walk_expression(node, read_parts, arg);
}

// The parts of FROM around that a LATERAL query reads; NULL: none.
Bitmapset* parts_read(Query* query) {
  Reading reading = {};
  (void)read_parts((Node*)query, &reading);
  return reading.parts;
}

void take_query(LayerQuery* level, LayerItem* item, QuerySource* source,
                const RangeTblEntry* entry) {
  item->place = -1;
  item->reads = parts_read(entry->subquery);
  const bool beside = item->reads != NULL && entry->subquery->setOperations == NULL;
  item->below = query_within(level, entry->subquery, beside ? LayerAs::beside : LayerAs::rows);
  if (beside) {
    item->follows = parts_followed(item->below);
    item->single = item->below->single;
  }
  item->layer = item->below->layer;
  item->is_private = item->layer->tables != NIL;
  item->most = item->layer->most;
  item->one = item->layer->one;
  *source = {item->varno, InvalidOid, NULL, InvalidOid, item->layer};
  if (item->is_private) source->table = (const ProtectedTable*)linitial(item->layer->tables);
}

void take_items(LayerQuery* level) {
  const int entries = list_length(level->query->rtable);
  QuerySources* sources = (QuerySources*)palloc0(sizeof(QuerySources));
  sources->source = (QuerySource*)palloc0(sizeof(QuerySource) * (entries + 1));
  level->item = (LayerItem*)palloc0(sizeof(LayerItem) * (entries + 1));
  level->sources = sources;
  Index varno = 0;
  ListCell* cell;
  foreach (cell, level->query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    varno++;
    if (entry->rtekind == RTE_JOIN) continue;
    LayerItem* item = &level->item[level->items];
    QuerySource* source = &sources->source[sources->count];
    item->varno = varno;
    if (is_table(entry)) {
      take_table(level, item, source, entry);
    } else if (entry->rtekind == RTE_SUBQUERY) {
      take_query(level, item, source, entry);
    } else {
      refuse_construct(source_name(entry), kTables);
    }
    level->items++;  // what is within sees no part that is not yet made
    sources->count++;
    if (sources->first == NULL) sources->first = source->table;
  }
}

// Columns of what is below that are of another type now are so in the whole query.
Node* retype(Node* node, void* arg) {
  if (node == NULL) return NULL;
  LayerQuery* level = (LayerQuery*)arg;
  if (IsA(node, Var)) {
    const Var* var = (const Var*)node;
    if (var->varattno <= 0) return node;
    const LayerQuery* found = level;
    for (Index up = var->varlevelsup; up > 0 && found != NULL; up--) found = found->around;
    const LayerItem* item = found != NULL ? item_of(found, (Index)var->varno) : NULL;
    if (item == NULL || item->layer == NULL) return node;
    const LayerColumn& column = item->layer->column[var->varattno - 1];
    return column.computed() ? of_computed_type(var, column) : node;
  }
  return mutate_expression(node, retype, arg);
}

Query* retyped(LayerQuery* level) {
  Query* query = (Query*)copyObjectImpl(level->query);
  query->targetList = (List*)retype((Node*)query->targetList, level);
  query->jointree = (FromExpr*)retype((Node*)query->jointree, level);
  query->havingQual = retype(query->havingQual, level);
  query->windowClause = (List*)retype((Node*)query->windowClause, level);
  return query;
}

// RIGHT JOIN is LEFT JOIN the other way round.
Node* turned(Node* node) {
  if (!IsA(node, JoinExpr)) return node;
  JoinExpr* join = (JoinExpr*)node;
  join->larg = turned(join->larg);
  join->rarg = turned(join->rarg);
  if (join->jointype != JOIN_RIGHT) return node;
  Node* left = join->larg;
  join->larg = join->rarg;
  join->rarg = left;
  join->jointype = JOIN_LEFT;
  return node;
}

List* safe_from_of(LayerQuery* level) {
  List* from = NIL;
  ListCell* cell;
  foreach (cell, level->query->jointree->fromlist) {
    from = lappend(from, safe_from_part(level, (Node*)lfirst(cell)));
  }
  return from;
}

// Public rows belong to nobody: they are joined to somebody's.
void check_sides(const LayerQuery* level) {
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    if (!item->is_private || !bms_is_member((int)item->varno, level->join.missing)) continue;
    bool has_person = false;
    for (int j = 0; j < level->items; j++) {
      const LayerItem* other = &level->item[j];
      has_person =
          has_person ||
          (other->is_private && bms_is_member((int)other->varno, level->join.before[item->varno]));
    }
    if (has_person) continue;
    refuse_construct("a LEFT JOIN of a public table with rows of people is",
                     "Put the rows of people on the left, or write JOIN.");
  }
}

RangeTblEntry* entry_that_runs(const LayerQuery* level, const RangeTblEntry* entry,
                               const LayerItem* item) {
  if (item == NULL) {  // a join
    RangeTblEntry* join = (RangeTblEntry*)copyObjectImpl(entry);
    if (join->jointype == JOIN_RIGHT) join->jointype = JOIN_LEFT;  // turned()
    return join;
  }
  if (item->below == NULL) {
    return rows_entry(level->all->held, item->place, unit_at_work(level));
  }
  RangeTblEntry* made = makeNode(RangeTblEntry);
  made->inFromCl = true;
  become_subquery(made, item->below->made);
  made->lateral = item->reads != NULL;
  return made;
}

Query* begin_query(const LayerQuery* level) {
  const Query* query = level->query;
  Query* made = makeNode(Query);
  made->commandType = CMD_SELECT;
  made->canSetTag = true;
  made->hasAggs = query->hasAggs;
  made->hasWindowFuncs = query->hasWindowFuncs;
  made->hasSubLinks = query->hasSubLinks;
  made->hasDistinctOn = query->hasDistinctOn;
  Index varno = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    const LayerItem* item = item_of(level, ++varno);
    made->rtable = lappend(made->rtable, entry_that_runs(level, entry, item));
  }
  return made;
}

// What may be missing is known before queries within are looked at.
void find_missing(LayerQuery* level) {
  List* from = (List*)copyObjectImpl(level->query->jointree->fromlist);
  ListCell* cell;
  foreach (cell, from) lfirst(cell) = turned((Node*)lfirst(cell));
  level->join = join_conditions(from, NULL, list_length(level->query->rtable));
}

}  // namespace

void take_from(LayerQuery* level) {
  find_missing(level);
  take_items(level);
  level->query = retyped(level);
  level->made = begin_query(level);
  List* asked = level->query->jointree->fromlist;
  ListCell* cell;
  foreach (cell, asked) lfirst(cell) = turned((Node*)lfirst(cell));
  level->join = join_conditions(asked, NULL, list_length(level->query->rtable));
  level->from = safe_from_of(level);
  Node* where = safe_condition(level, level->query->jointree->quals);
  level->made->jointree = makeFromExpr(level->from, where);
  level->join = join_conditions(level->from, where, list_length(level->query->rtable));
  require_one_unit(level);
  check_sides(level);
}

}  // namespace dpmix::pg
