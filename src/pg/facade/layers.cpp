#include "pg/facade/layers.hpp"

#include "pg/border/compat.hpp"
#include "pg/catalog/column_origin.hpp"
#include "pg/catalog/table_row.hpp"
#include "pg/catalog/unit_link.hpp"
#include "pg/facade/answer_names.hpp"
#include "pg/facade/flatten.hpp"
#include "pg/trees/refusal.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

// The query behind an entry of FROM, and where it stands; NULL: it is no query of rows.
Query* query_behind(const QueryLevel* level, const RangeTblEntry* entry, QueryLevel* inner) {
  const QueryLevel* around = level;
  Query* query = entry->rtekind == RTE_SUBQUERY ? entry->subquery : NULL;
  if (entry->rtekind == RTE_CTE && !entry->self_reference) {
    CommonTableExpr* common = common_query(level, entry);
    if (common == NULL || common->cterecursive || !IsA(common->ctequery, Query)) return NULL;
    for (Index up = entry->ctelevelsup; up > 0; up--) around = around->outer;
    query = (Query*)common->ctequery;
  }
  if (query != NULL) *inner = {query, around, around->depth + 1};
  return query;
}

// Whether a column of a table is its privacy unit, or names or is the key of one row of one person.
bool tells_unit_of_table(const Facade* facade, AttrNumber column) {
  ColumnOrigin own = {facade->relation, table_column(facade, column)};
  if (own.column == InvalidAttrNumber) return false;
  if (facade->table_id == 0) own = origin_of_column(own.relation, own.column);
  const CatalogRow* row = OidIsValid(own.relation) ? find_catalog_row(own.relation) : NULL;
  if (row == NULL) return false;
  if (row->privacy_unit != NULL) {
    return own.column == get_attnum(own.relation, row->privacy_unit) ||
           is_key_of_link(own.relation, own.column);
  }
  return row->link != NULL && row->link->columns == 1 && row->link->column[0] == own.column;
}

// A column of a facade's table that tells whose its row is, handed on as it is.
bool is_unit(const QueryLevel* level, Node* node) {
  check_stack_depth();
  node = flatten_join_columns(level->query, (Node*)copyObjectImpl(node));
  while (node != NULL && IsA(node, RelabelType)) node = (Node*)((RelabelType*)node)->arg;
  if (node == NULL || !IsA(node, Var)) return false;
  const Var* column = (const Var*)node;
  if (column->varlevelsup > 0 || column->varattno <= 0) return false;
  const RangeTblEntry* entry = rt_fetch(column->varno, level->query->rtable);
  if (const Facade* facade = facade_of_entry(entry)) {
    return tells_unit_of_table(facade, column->varattno);
  }
  QueryLevel inner;
  Query* query = query_behind(level, entry, &inner);
  if (query == NULL) return false;
  if (query->setOperations != NULL) {
    const Node* left = query->setOperations;
    while (IsA(left, SetOperationStmt)) left = ((const SetOperationStmt*)left)->larg;
    const int first = ((const RangeTblRef*)left)->rtindex;
    Var* below =
        makeVar(first, column->varattno, column->vartype, column->vartypmod, column->varcollid, 0);
    return is_unit(&inner, (Node*)below);
  }
  const TargetEntry* target = get_tle_by_resno(query->targetList, column->varattno);
  return target != NULL && is_unit(&inner, (Node*)target->expr);
}

struct Search {
  const QueryLevel* level;
  List* seen;  // oids of protected tables; InvalidOid: a view
  bool found;
};

void search_query(const QueryLevel* level, Search* search);

bool search_expression(Node* node, void* arg) {
  if (node == NULL) return false;
  Search* search = (Search*)arg;
  if (!IsA(node, Query)) return walk_expression(node, search_expression, arg);
  const QueryLevel inner = {(Query*)node, search->level, search->level->depth + 1};
  search->found = search->found || has_private_rows(&inner);
  return search->found;
}

void search_entry(const QueryLevel* level, const RangeTblEntry* entry, Search* search) {
  if (const Facade* facade = facade_of_entry(entry)) {
    // Which tables are below a view is left to the text.
    const Oid of = facade->table_id != 0 ? facade->relation : InvalidOid;
    const bool beside_view =
        list_member_oid(search->seen, InvalidOid) || (of == InvalidOid && search->seen != NIL);
    search->found = search->found || beside_view || list_member_oid(search->seen, of);
    search->seen = lappend_oid(search->seen, of);
    return;
  }
  QueryLevel inner;
  if (query_behind(level, entry, &inner) == NULL || !has_private_rows(&inner)) return;
  const bool may_be_layer = obstacle_to_layer(inner.query) == NULL;
  const bool more = has_more_than_rows(inner.query) || refers_outside(inner.query);
  if (may_be_layer && more) search->found = true;
  search_query(&inner, search);
}

void search_query(const QueryLevel* level, Search* search) {
  ListCell* cell;
  foreach (cell, level->query->rtable) {
    if (!search->found) search_entry(level, lfirst_node(RangeTblEntry, cell), search);
  }
  search->level = level;
  if (!search->found) (void)walk_expressions_of(level->query, search_expression, search);
}

}  // namespace

namespace {

// What is around a query reads private rows besides it.
bool is_beside_private_rows(const QueryLevel* level) {
  ListCell* cell;
  foreach (cell, level->outer->query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    const bool itself = entry->rtekind == RTE_SUBQUERY && entry->subquery == level->query;
    if (!itself && has_private_rows(level->outer, entry)) return true;
  }
  return false;
}

}  // namespace

bool is_layer(const QueryLevel* level) {
  Query* query = level->query;
  if (level->outer == NULL) return false;
  if (refers_outside(query)) return is_beside_private_rows(level);
  const bool grouped = query->hasAggs || query->groupClause != NIL || query->havingQual != NULL;
  ListCell* cell;
  foreach (cell, grouped ? query->groupClause : query->distinctClause) {
    Node* key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, cell), query->targetList);
    if (is_unit(level, key)) return true;
  }
  return false;
}

bool reads_layers(const QueryLevel* level) {
  Search search = {level, NIL, false};
  search_query(level, &search);
  return search.found;
}

// Over tables -------------------------------------------------------------------------------------

namespace {

struct Facades {
  List **tables, **facades;
};

struct Mapping {  // that of a facade's columns
  const Facade* facade;
  Index varno;
  Index depth;
};

bool map_columns(Node* node, void* arg) {
  if (node == NULL) return false;
  Mapping* mapping = (Mapping*)arg;
  if (IsA(node, Query)) {
    mapping->depth++;
    (void)walk_query((Query*)node, map_columns, arg);
    mapping->depth--;
    return false;
  }
  if (!IsA(node, Var)) return walk_expression(node, map_columns, arg);
  Var* column = (Var*)node;
  if ((Index)column->varno != mapping->varno || column->varlevelsup != mapping->depth) return false;
  if (column->varattno <= 0) refuse_construct("a whole row is", "Use the single columns.");
  const AttrNumber own = table_column(mapping->facade, column->varattno);
  if (own == InvalidAttrNumber) {
    refuse_construct("a column of the facade that is none of its table any more is",
                     "Its owner brings the facade up to date: dpmix.expose(..., replace => true).");
  }
  column->varattno = own;
  column->varnosyn = 0;
  column->varattnosyn = 0;
  return false;
}

// Dropped ones, too.
AttrNumber columns_of(Oid relation) {
  Relation table = table_open(relation, AccessShareLock);
  const AttrNumber columns = RelationGetNumberOfAttributes(table);
  table_close(table, AccessShareLock);
  return columns;
}

void become_table(Query* query, Index varno, const Facade* facade) {
  Mapping mapping = {facade, varno, 0};
  (void)walk_query(query, map_columns, &mapping);
  RangeTblEntry* entry = rt_fetch(varno, query->rtable);
  const Alias* alias = entry->eref;
  RangeTblEntry* made = makeNode(RangeTblEntry);
  made->rtekind = RTE_RELATION;
  made->relid = facade->relation;
  made->relkind = get_rel_relkind(facade->relation);
  made->rellockmode = AccessShareLock;
  made->inh = true;
  made->inFromCl = true;
  made->alias = makeAlias(alias->aliasname, NIL);
  made->eref = makeAlias(alias->aliasname, NIL);
  for (AttrNumber number = 1; number <= columns_of(facade->relation); number++) {
    const char* name = get_attname(facade->relation, number, true);
    made->eref->colnames =
        lappend(made->eref->colnames, makeString(pstrdup(name != NULL ? name : "")));
  }
  lfirst(list_nth_cell(query->rtable, (int)varno - 1)) = made;
}

struct Side {
  List *variables, *numbers, *names;
};

Side side_of(Query* query, const Node* node);

// The entry of a join, whose sides have other columns now, without USING.
Side rebuilt_join(Query* query, JoinExpr* join) {
  const Side left = side_of(query, join->larg), right = side_of(query, join->rarg);
  Side both = {list_concat_copy(left.variables, right.variables), NIL,
               list_concat_copy(left.names, right.names)};
  for (int i = 1; i <= list_length(both.names); i++) both.numbers = lappend_int(both.numbers, i);
  lfirst(list_nth_cell(query->rtable, join->rtindex - 1)) =
      entry_of_join(join, left.numbers, right.numbers, both.variables, both.names);
  return both;
}

void add_to_side(Side* side, int varno, AttrNumber number, Oid type, int32 typmod, Oid collation,
                 const char* name) {
  side->variables = lappend(side->variables, makeVar(varno, number, type, typmod, collation, 0));
  side->numbers = lappend_int(side->numbers, number);
  side->names = lappend(side->names, makeString(pstrdup(name)));
}

Side side_of(Query* query, const Node* node) {
  if (IsA(node, JoinExpr)) return rebuilt_join(query, (JoinExpr*)node);
  const int varno = ((const RangeTblRef*)node)->rtindex;
  const RangeTblEntry* entry = rt_fetch(varno, query->rtable);
  Side side = {};
  if (entry->rtekind == RTE_SUBQUERY) {
    AttrNumber number = 0;
    ListCell* cell;
    foreach (cell, entry->subquery->targetList) {
      const TargetEntry* target = lfirst_node(TargetEntry, cell);
      if (target->resjunk) continue;
      const Node* value = (const Node*)target->expr;
      number++;
      add_to_side(&side, varno, number, exprType(value), exprTypmod(value), exprCollation(value),
                  strVal(list_nth(entry->eref->colnames, number - 1)));
    }
    return side;
  }
  for (AttrNumber number = 1; number <= columns_of(entry->relid); number++) {
    const char* name = get_attname(entry->relid, number, true);
    if (name == NULL) continue;
    Oid type, collation;
    int32 typmod;
    get_atttypetypmodcoll(entry->relid, number, &type, &typmod, &collation);
    add_to_side(&side, varno, number, type, typmod, collation, name);
  }
  return side;
}

void put_over_tables(Query* query, const QueryLevel* outer, const Facades* found);

struct Below {
  const QueryLevel* level;
  const Facades* found;
};

bool put_below(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, Query)) {
    const Below* below = (const Below*)arg;
    put_over_tables((Query*)node, below->level, below->found);
    return false;
  }
  return walk_expression(node, put_below, arg);
}

void put_over_tables(Query* query, const QueryLevel* outer, const Facades* found) {
  check_stack_depth();
  inline_group_columns(query);
  flatten_columns(query);
  const QueryLevel level = {query, outer, outer != NULL ? outer->depth + 1 : 0};
  Index varno = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    varno++;
    if (entry->rtekind == RTE_CTE && !names_answer(entry)) {
      const CommonTableExpr* common = common_query(&level, entry);
      if (common == NULL || common->cterecursive || entry->self_reference) {
        refuse_construct("WITH RECURSIVE over private rows is", "Write the query without it.");
      }
      become_copy_of(common, entry);
    }
    if (const Facade* facade = facade_of_entry(entry)) {
      *found->tables = list_append_unique_oid(*found->tables, facade->relation);
      *found->facades = list_append_unique_oid(*found->facades, facade->view);
      become_table(query, varno, facade);
    } else if (entry->rtekind == RTE_RELATION) {
      *found->tables = list_append_unique_oid(*found->tables, entry->relid);
    }
  }
  const Below below = {&level, found};
  (void)walk_expressions_of(query, put_below, (void*)&below);
  foreach (cell, query->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_SUBQUERY) put_over_tables(entry->subquery, &level, found);
  }
  query->cteList = NIL;
  foreach (cell, query->jointree->fromlist) {
    if (IsA(lfirst(cell), JoinExpr)) (void)rebuilt_join(query, (JoinExpr*)lfirst(cell));
  }
}

}  // namespace

Query* over_tables(const QueryLevel* level, List** tables, List** facades) {
  if (refers_outside(level->query)) {
    refuse_construct("a reference to an outer query in private rows is",
                     "Join the tables, or aggregate by the column and join the result.");
  }
  Query* query = (Query*)copyObjectImpl(level->query);
  const Facades found = {tables, facades};
  put_over_tables(query, level->outer, &found);
  return query;
}

}  // namespace dpmix::pg
