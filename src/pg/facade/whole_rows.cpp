#include "pg/facade/whole_rows.hpp"

#include "pg/border/compat.hpp"
#include "pg/facade/recognise.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
}

namespace dpmix::pg {
namespace {

struct Walk {
  const QueryLevel* level;  // NULL: above the statement
  bool all;
};

const Query* query_at(const QueryLevel* level, Index up) {
  for (; up > 0 && level != NULL; up--) level = level->outer;
  return level != NULL ? level->query : NULL;
}

// The entry of FROM of which a node is a whole row; NULL: it is none of a sub-select.
const RangeTblEntry* entry_of_row(const QueryLevel* level, const Node* node) {
  if (node == NULL || !IsA(node, Var) || ((const Var*)node)->varattno != InvalidAttrNumber) {
    return NULL;
  }
  const Query* query = query_at(level, ((const Var*)node)->varlevelsup);
  if (query == NULL) return NULL;
  const RangeTblEntry* entry = rt_fetch(((const Var*)node)->varno, query->rtable);
  return entry->rtekind == RTE_SUBQUERY || entry->rtekind == RTE_CTE ? entry : NULL;
}

List* columns_of_row(const RangeTblEntry* entry, const Var* row) {
  List* columns = NIL;
  const auto add = [&](Oid type, int32 typmod, Oid collation) {
    columns = lappend(columns, column_beside(row, (AttrNumber)(list_length(columns) + 1), type,
                                             typmod, collation));
  };
  if (entry->rtekind == RTE_CTE) {
    for (int i = 0; i < list_length(entry->coltypes); i++) {
      add(list_nth_oid(entry->coltypes, i), list_nth_int(entry->coltypmods, i),
          list_nth_oid(entry->colcollations, i));
    }
    return columns;
  }
  const ListCell* cell;
  foreach (cell, entry->subquery->targetList) {
    const TargetEntry* target = lfirst_node(TargetEntry, cell);
    const Node* value = (const Node*)target->expr;
    if (!target->resjunk) add(exprType(value), exprTypmod(value), exprCollation(value));
  }
  return columns;
}

bool has_outer_join(const Query* query) {
  const ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_JOIN && entry->jointype != JOIN_INNER) return true;
  }
  return false;
}

Node* spelled(const RangeTblEntry* entry, const Var* row) {
  RowExpr* made = makeNode(RowExpr);
  made->args = columns_of_row(entry, row);
  made->row_typeid = row->vartype;
  made->row_format = COERCE_IMPLICIT_CAST;
  if (row->vartype == RECORDOID) made->colnames = list_copy(entry->eref->colnames);
  made->location = -1;
  return (Node*)made;
}

Node* spell(Node* node, void* arg) {
  if (node == NULL) return NULL;
  Walk* walk = (Walk*)arg;
  if (IsA(node, Query)) {
    const QueryLevel* outer = walk->level;
    const QueryLevel level = {(Query*)node, outer, outer != NULL ? outer->depth + 1 : 0};
    walk->level = &level;
    Node* made = (Node*)mutate_query((Query*)node, spell, arg);
    walk->level = outer;
    return made;
  }
  if (IsA(node, FieldSelect)) {
    const FieldSelect* field = (const FieldSelect*)node;
    const Var* row = (const Var*)field->arg;
    const RangeTblEntry* entry = entry_of_row(walk->level, (const Node*)row);
    if (entry != NULL) return (Node*)list_nth(columns_of_row(entry, row), field->fieldnum - 1);
  }
  if (const RangeTblEntry* entry = entry_of_row(walk->level, node)) {
    const Var* row = (const Var*)node;
    if (!has_outer_join(query_at(walk->level, row->varlevelsup))) return spelled(entry, row);
    walk->all = false;
  }
  return mutate_expression(node, spell, arg);
}

bool find_whole_row(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, Var)) return ((Var*)node)->varattno == InvalidAttrNumber;
  if (IsA(node, Query)) return walk_query((Query*)node, find_whole_row, arg);
  return walk_expression(node, find_whole_row, arg);
}

}  // namespace

bool spell_whole_rows(Query* statement) {
  if (!find_whole_row((Node*)statement, NULL)) return true;
  Walk walk = {NULL, true};
  *statement = *(Query*)spell((Node*)statement, &walk);
  return walk.all;
}

}  // namespace dpmix::pg
