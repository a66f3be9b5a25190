#include "pg/facade/private_tables.hpp"

#include "pg/border/compat.hpp"
#include "pg/trees/construct_names.hpp"
#include "pg/trees/refusal.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "access/table.h"
#include "nodes/makefuncs.h"
#include "parser/parse_node.h"
#include "parser/parsetree.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

void add_table(const Query* query, int varno, PrivateTables* tables) {
  const RangeTblEntry* entry = rt_fetch(varno, query->rtable);
  const Facade* facade = facade_of_entry(entry);
  if (facade == NULL && entry->rtekind != RTE_RELATION) {
    const bool result = entry->rtekind == RTE_CTE || entry->rtekind == RTE_SUBQUERY;
    refuse_construct(
        result ? "a join of private rows with results of a query is" : source_name(entry),
        "Read the facade in FROM or in plain sub-selects, and join it with tables; join "
        "other results above the aggregates.");
  }
  if (facade == NULL && entry->tablesample != NULL) {
    refuse_construct("TABLESAMPLE is", "Leave it out.");
  }
  tables->table[tables->count++] = {varno, facade != NULL ? facade->relation : entry->relid,
                                    facade};
}

void add_tables(const Query* query, const Node* node, PrivateTables* tables) {
  if (IsA(node, RangeTblRef)) {
    add_table(query, ((const RangeTblRef*)node)->rtindex, tables);
  } else if (IsA(node, JoinExpr)) {
    add_tables(query, ((const JoinExpr*)node)->larg, tables);
    add_tables(query, ((const JoinExpr*)node)->rarg, tables);
  } else {
    ListCell* cell;
    foreach (cell, castNode(FromExpr, (Node*)node)->fromlist) {
      add_tables(query, (const Node*)lfirst(cell), tables);
    }
  }
}

int place_of(const PrivateTables* tables, int varno) {
  for (int i = 0; i < tables->count; i++) {
    if (tables->table[i].varno == varno) return i + 1;
  }
  return 0;
}

struct Columns {  // those of a side of a join
  List* variables;
  List* numbers;  // their numbers in that side
  List* names;
};

Columns join_sides(Query* made, JoinExpr* join);

Columns columns_of_side(Query* made, Node* node) {
  Columns columns = {};
  if (IsA(node, JoinExpr)) return join_sides(made, (JoinExpr*)node);
  const int place = ((const RangeTblRef*)node)->rtindex;
  const RangeTblEntry* entry = rt_fetch(place, made->rtable);
  const Oid relation = entry->relid;
  const AttrNumber last = (AttrNumber)list_length(entry->eref->colnames);
  for (AttrNumber number = 1; number <= last; number++) {
    const char* name = get_attname(relation, number, true);
    if (name == NULL) continue;  // dropped
    Oid type, collation;
    int32 typmod;
    get_atttypetypmodcoll(relation, number, &type, &typmod, &collation);
    columns.variables =
        lappend(columns.variables, makeVar(place, number, type, typmod, collation, 0));
    columns.numbers = lappend_int(columns.numbers, number);
    columns.names = lappend(columns.names, makeString((char*)name));
  }
  return columns;
}

// The entry of a join without USING, as parse analysis makes it.
Columns join_sides(Query* made, JoinExpr* join) {
  const Columns left = columns_of_side(made, join->larg);
  const Columns right = columns_of_side(made, join->rarg);
  Columns both = {};
  both.variables = list_concat_copy(left.variables, right.variables);
  both.names = list_concat_copy(left.names, right.names);
  for (int i = 1; i <= list_length(both.names); i++) both.numbers = lappend_int(both.numbers, i);
  made->rtable = lappend(
      made->rtable, entry_of_join(join, left.numbers, right.numbers, both.variables, both.names));
  join->rtindex = list_length(made->rtable);
  return both;
}

Node* renumbered(const PrivateTables* tables, Node* node) {
  if (IsA(node, RangeTblRef)) {
    RangeTblRef* made = makeNode(RangeTblRef);
    made->rtindex = place_of(tables, ((const RangeTblRef*)node)->rtindex);
    return (Node*)made;
  }
  JoinExpr* made = makeNode(JoinExpr);
  *made = *castNode(JoinExpr, node);
  made->larg = renumbered(tables, made->larg);
  made->rarg = renumbered(tables, made->rarg);
  return (Node*)made;
}

}  // namespace

PrivateTables private_tables(const Query* query) {
  PrivateTables tables = {};
  tables.table = (PrivateTables::Table*)palloc0(sizeof(PrivateTables::Table) *
                                                (list_length(query->rtable) + 1));
  add_tables(query, (const Node*)query->jointree, &tables);
  return tables;
}

Var* column_in_text(const PrivateTables* tables, const Var* column) {
  if (column->varlevelsup > 0) {
    refuse_construct("a reference to an outer query in private rows is",
                     "Join the tables, or aggregate by the column and join the result.");
  }
  const int place = place_of(tables, column->varno);
  if (place == 0 || column->varattno <= 0) {
    refuse_construct(place == 0 || column->varattno == 0 ? "a whole row is" : "a system column is",
                     "Use the single columns.");
  }
  Var* made = (Var*)copyObjectImpl(column);
  made->varno = place;
  made->varnosyn = 0;
  made->varattnosyn = 0;
  const PrivateTables::Table* table = &tables->table[place - 1];
  if (table->facade == NULL) return made;
  made->varattno = table_column(table->facade, column->varattno);
  if (made->varattno != InvalidAttrNumber) return made;
  const char* name = get_attname(table->facade->view, column->varattno, true);
  refuse(ErrorCode::query_not_allowed,
         psprintf("column \"%s\" of the facade is none of its table any more", name),
         "It was dropped, or has another type since.",
         "Its owner brings the facade up to date: dpmix.expose(..., replace => true).");
}

void put_tables(const PrivateTables* tables, const Query* query, Query* made) {
  ParseState* state = make_parsestate(NULL);
  for (int i = 0; i < tables->count; i++) {
    const RangeTblEntry* entry = rt_fetch(tables->table[i].varno, query->rtable);
    Relation relation = table_open(tables->table[i].relation, AccessShareLock);
    const bool inherits = tables->table[i].facade != NULL || entry->inh;
    Alias* alias = makeAlias(entry->eref->aliasname, NIL);
    (void)addRangeTableEntryForRelation(state, relation, AccessShareLock, alias, inherits, true);
    table_close(relation, NoLock);
  }
  take_tables(state, made);
  List* from = NIL;
  ListCell* cell;
  foreach (cell, query->jointree->fromlist) {
    Node* item = renumbered(tables, (Node*)lfirst(cell));
    if (IsA(item, JoinExpr)) (void)join_sides(made, (JoinExpr*)item);
    from = lappend(from, item);
  }
  made->jointree = makeFromExpr(from, query->jointree->quals);
}

void unlock_tables(const PrivateTables* tables) {
  for (int i = 0; i < tables->count; i++) {
    UnlockRelationOid(tables->table[i].relation, AccessShareLock);
  }
}

}  // namespace dpmix::pg
