#include "pg/query/layers/shard_rows.hpp"

#include "pg/border/compat.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/citus/shard_text.hpp"
#include "pg/citus/unit_placement.hpp"
#include "pg/query/layers/marks.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/units/held_entries.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr const char* kStore =
    "Citus runs joins, GROUP BY, DISTINCT and windows by the privacy unit where its rows lie. "
    "Write it with these, or store what it computes in a table that is distributed with the "
    "others.";

[[noreturn]] void refuse_on_shards(const char* construct) {
  refuse_construct(psprintf("%s over a distributed table is", construct), kStore);
}

struct ShardQuery {
  Query* query;
  Var* unit;  // NULL: all of its tables are public
};

ShardQuery on_shards(const LayerQuery* level);

// With the rights of its owner.
RangeTblEntry* entry_of_table(Query* made, const LayerQuery* level, const LayerItem* item) {
  RangeTblEntry* entry =
      (RangeTblEntry*)copyObjectImpl(rt_fetch(item->varno, level->query->rtable));
  read_as(made, entry, relation_owner(item->relation));
  return entry;
}

Var* unit_of_table(const LayerItem* item) {
  Oid type, collation;
  int32 typmod;
  get_atttypetypmodcoll(item->relation, item->table->unit, &type, &typmod, &collation);
  return makeVar((int)item->varno, item->table->unit, type, typmod, collation, 0);
}

Var* unit_of_query(const LayerItem* item, const ShardQuery& below) {
  return makeVar((int)item->varno, below.unit->varattno, below.unit->vartype, below.unit->vartypmod,
                 below.unit->varcollid, 0);
}

// Its entry of FROM, and the unit of its rows; NULL: it is public.
Var* read_item(Query* made, const LayerQuery* level, const LayerItem* item) {
  ListCell* cell = list_nth_cell(made->rtable, (int)item->varno - 1);
  if (item->below == NULL) {
    lfirst(cell) = entry_of_table(made, level, item);
    return item->is_private ? unit_of_table(item) : NULL;
  }
  if (item->reads != NULL) refuse_on_shards("LATERAL");
  const ShardQuery below = on_shards(item->below);
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->inFromCl = true;
  become_subquery(entry, below.query);
  lfirst(cell) = entry;
  return below.unit != NULL ? unit_of_query(item, below) : NULL;
}

// All parts with people are joined by the unit: that of one which is never missing.
Var* read_items(Query* made, const LayerQuery* level) {
  Var* unit = NULL;
  bool is_private = false;
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    Var* found = read_item(made, level, item);
    is_private = is_private || found != NULL;
    const bool missing = bms_is_member((int)item->varno, level->join.missing);
    if (unit == NULL && found != NULL && !missing) unit = found;
  }
  if (is_private && unit == NULL) refuse_on_shards("a FULL JOIN");
  return unit;
}

// A sub-select in an expression is of the unit of the row around it, by its conditions
// (sub_links.cpp), or of public tables: it is what it was, of tables.
Query* linked_query(const LayerTables* all, const Query* query);

Node* of_tables(Node* node, void* arg) {
  if (node == NULL) return NULL;
  Node* made = mutate_expression(node, of_tables, arg);
  if (!IsA(made, SubLink)) return made;
  SubLink* link = (SubLink*)made;
  link->subselect = (Node*)linked_query((const LayerTables*)arg, castNode(Query, link->subselect));
  return made;
}

void links_of_tables(const LayerTables* all, Query* made) {
  made->targetList = (List*)of_tables((Node*)made->targetList, (void*)all);
  made->jointree = (FromExpr*)of_tables((Node*)made->jointree, (void*)all);
  made->havingQual = of_tables(made->havingQual, (void*)all);
}

Query* linked_query(const LayerTables* all, const Query* query) {
  if (query->groupClause != NIL || query->setOperations != NULL) {
    refuse_on_shards("GROUP BY or UNION in a sub-select of an expression");
  }
  Query* made = (Query*)copyObjectImpl(query);
  ListCell* cell;
  foreach (cell, made->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_JOIN) continue;
    const int place = place_of_rows(entry);
    if (place < 0) refuse_on_shards("a sub-select within one of an expression");
    const Oid relation = list_nth_oid(all->relations, place);
    become_table(entry, relation, get_rel_name(relation));
    read_as(made, entry, relation_owner(relation));
  }
  links_of_tables(all, made);
  return made;
}

bool is_unit_at_work(const Node* expression) {
  return IsA(expression, Var) && ((const Var*)expression)->varlevelsup > 0;
}

// Targets without the number of the unit at work, which there is none of; and clauses without it.
void drop_unit_at_work(Query* made) {
  List *targets = NIL, *clauses = NIL;
  const ListCell* cell;
  foreach (cell, made->groupClause) {
    SortGroupClause* clause = lfirst_node(SortGroupClause, cell);
    const Node* key = get_sortgroupclause_expr(clause, made->targetList);
    if (!is_unit_at_work(key)) clauses = lappend(clauses, clause);
  }
  foreach (cell, made->targetList) {
    const TargetEntry* target = lfirst_node(TargetEntry, cell);
    if (!is_unit_at_work((const Node*)target->expr)) targets = lappend(targets, (void*)target);
  }
  made->groupClause = clauses;
  made->targetList = targets;
}

Index next_reference(const List* targets) {
  Index last = 0;
  const ListCell* cell;
  foreach (cell, targets) last = Max(last, lfirst_node(TargetEntry, cell)->ressortgroupref);
  return last + 1;
}

// Behind the columns that are shown, and before those that are not; all have names of their own.
TargetEntry* show_unit(Query* made, Var* unit) {
  TargetEntry* shown = makeTargetEntry((Expr*)copyObjectImpl(unit), 0, NULL, false);
  shown->ressortgroupref = next_reference(made->targetList);
  List *columns = NIL, *others = NIL;
  const ListCell* cell;
  foreach (cell, made->targetList) {
    TargetEntry* target = lfirst_node(TargetEntry, cell);
    if (target->resjunk) {
      others = lappend(others, target);
    } else {
      columns = lappend(columns, target);
    }
  }
  made->targetList = list_concat(lappend(columns, shown), others);
  AttrNumber number = 1;
  foreach (cell, made->targetList) {
    TargetEntry* target = lfirst_node(TargetEntry, cell);
    target->resno = number;
    target->resname = psprintf("c%d", number++);
  }
  return shown;
}

SortGroupClause* by_unit(const TargetEntry* unit) {
  return sort_clause(exprType((const Node*)unit->expr), unit->ressortgroupref);
}

// The keys of the text that are the unit, which one unit's rows need not have.
void group_by_units(Query* made, const LayerQuery* level) {
  const ListCell *cell, *other;
  foreach (cell, level->query->groupClause) {
    const SortGroupClause* clause = lfirst_node(SortGroupClause, cell);
    if (!is_unit(level,
                 get_sortgroupclause_expr((SortGroupClause*)clause, level->query->targetList))) {
      continue;
    }
    foreach (other, made->targetList) {
      const TargetEntry* target = lfirst_node(TargetEntry, other);
      if (target->ressortgroupref != clause->tleSortGroupRef) continue;
      made->groupClause = lappend(made->groupClause, by_unit(target));
    }
  }
}

// What groups, windows and rows that are told apart are of one unit each. Each has the unit among
// its keys in the text, which says the same of it (clauses.cpp).
void keep_units_apart(Query* made, const LayerQuery* level, const TargetEntry* unit) {
  if (level->query->groupClause != NIL || level->query->hasAggs) {
    group_by_units(made, level);
    made->groupClause = lappend(made->groupClause, by_unit(unit));
  }
  if (made->distinctClause != NIL) {
    made->distinctClause = lcons(by_unit(unit), made->distinctClause);
    made->sortClause = made->sortClause != NIL ? lcons(by_unit(unit), made->sortClause) : NIL;
  }
  const ListCell* cell;
  foreach (cell, made->windowClause) {
    WindowClause* window = lfirst_node(WindowClause, cell);
    window->partitionClause = lappend(window->partitionClause, by_unit(unit));
  }
}

void require_simple(const LayerQuery* level) {
  const Query* query = level->query;
  if (query->setOperations != NULL) refuse_on_shards("UNION, INTERSECT or EXCEPT");
  if (query->limitCount != NULL) refuse_on_shards("LIMIT");
}

ShardQuery on_shards(const LayerQuery* level) {
  require_simple(level);
  Query* made = (Query*)copyObjectImpl(level->made);
  Var* unit = read_items(made, level);
  links_of_tables(level->all, made);
  if (unit == NULL) {
    write_for_shards(made);
    return {made, NULL};
  }
  drop_unit_at_work(made);
  const TargetEntry* shown = show_unit(made, unit);
  keep_units_apart(made, level, shown);
  write_for_shards(made);
  return {made, makeVar(1, shown->resno, unit->vartype, unit->vartypmod, unit->varcollid, 0)};
}

}  // namespace

Query* rows_on_shards(const LayerQuery* level) {
  return on_shards(level).query;
}

void require_layer_on_shards(const Layer* layer) {
  const int most = list_length(layer->tables) + list_length(layer->publics);
  PlacedTable* placed = (PlacedTable*)palloc(sizeof(PlacedTable) * (Size)most);
  int count = 0;
  const ListCell* cell;
  foreach (cell, layer->tables) {
    const ProtectedTable* table = (const ProtectedTable*)lfirst(cell);
    placed[count++] = {table->relation, table->unit};
  }
  foreach (cell, layer->publics) placed[count++] = {lfirst_oid(cell), InvalidAttrNumber};
  require_units_together(placed, count);
  const Oid owner = ((const ProtectedTable*)linitial(layer->tables))->owner;
  for (int i = 0; i < count; i++) {
    if (relation_owner(placed[i].relation) != owner) refuse_several_owners();
  }
}

bool has_one_grouped_row(const LayerQuery* level) {
  const Query* query = level->query;
  if (query->setOperations != NULL) return false;
  const bool groups = query->hasAggs || query->groupClause != NIL;
  const List* clauses = groups ? query->groupClause : query->distinctClause;
  const ListCell* cell;
  foreach (cell, clauses) {
    const Node* key = get_sortgroupclause_expr((SortGroupClause*)lfirst(cell), query->targetList);
    if (!is_unit(level, key)) return false;
  }
  if (clauses != NIL) return true;
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    if (item->below == NULL || !item->is_private || !has_one_grouped_row(item->below)) return false;
  }
  return !groups && level->items > 0;
}

}  // namespace dpmix::pg
