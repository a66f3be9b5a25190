#include "pg/query/layers/read_conditions.hpp"

#include "pg/border/compat.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteManip.h"
}

namespace dpmix::pg {
namespace {

struct TableRead {  // by one FROM
  int place;
  List* conditions;  // on columns of table 1
};

// Whether an expression is of one table's columns and of constants that mean something anywhere.
bool reads_others(Node* node, void* varno) {
  if (node == NULL) return false;
  switch (nodeTag(node)) {
    case T_Var: {
      const Var* column = (const Var*)node;
      return column->varlevelsup > 0 || column->varno != *(const int*)varno ||
             column->varattno <= 0;
    }
    case T_Const:
      return ((const Const*)node)->consttype == INTERNALOID;
    case T_List:
    case T_OpExpr:
    case T_FuncExpr:
    case T_BoolExpr:
    case T_NullTest:
    case T_BooleanTest:
    case T_RelabelType:
    case T_ScalarArrayOpExpr:
    case T_CaseExpr:
    case T_CaseWhen:
    case T_CoalesceExpr:
    case T_MinMaxExpr:
      return walk_expression(node, reads_others, varno);
    default:
      return true;
  }
}

bool reads(Node* node, void* varno) {
  if (node == NULL) return false;
  if (IsA(node, Var)) return ((const Var*)node)->varno == *(const int*)varno;
  return walk_expression(node, reads, varno);
}

}  // namespace

bool reads_one_table(Node* expression, int varno) {
  return !reads_others(expression, &varno) && reads(expression, &varno);
}

namespace {

void add_conditions(List** conditions, Node* quals, int varno) {
  const ListCell* cell;
  foreach (cell, joined_by_and(quals)) {
    Node* condition = (Node*)lfirst(cell);
    if (!reads_one_table(condition, varno)) continue;
    condition = (Node*)copyObjectImpl(condition);
    ChangeVarNodes(condition, varno, 1, 0);
    *conditions = lappend(*conditions, condition);
  }
}

// ON of the joins around it. Where a row may have no partner there, ON decides about the partner
// alone, and is asked of that side only.
void add_joins(List** conditions, Node* from, int varno, bool all) {
  if (!IsA(from, JoinExpr)) return;
  JoinExpr* join = (JoinExpr*)from;
  const bool inner = join->jointype == JOIN_INNER;
  const bool right = IsA(join->rarg, RangeTblRef) && ((RangeTblRef*)join->rarg)->rtindex == varno;
  if ((inner && all) || (join->jointype == JOIN_LEFT && right)) {
    add_conditions(conditions, join->quals, varno);
  }
  add_joins(conditions, join->larg, varno, all);
  add_joins(conditions, join->rarg, varno, all);
}

}  // namespace

void note_reads(const LayerQuery* level) {
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    if (!item->is_private || item->below != NULL) continue;
    TableRead* read = (TableRead*)palloc(sizeof(TableRead));
    *read = {item->place, NIL};
    const int varno = (int)item->varno;
    const bool all = !bms_is_member(varno, level->join.missing);
    if (all) add_conditions(&read->conditions, level->made->jointree->quals, varno);
    const ListCell* cell;
    foreach (cell, level->made->jointree->fromlist) {
      add_joins(&read->conditions, (Node*)lfirst(cell), varno, all);
    }
    level->all->reads = lappend(level->all->reads, read);
  }
}

void hold_what_is_asked(const LayerTables* all) {
  for (int place = 0; place < list_length(all->relations); place++) {
    List* asked = NIL;
    bool first = true;
    const ListCell* cell;
    foreach (cell, all->reads) {
      const TableRead* read = (const TableRead*)lfirst(cell);
      if (read->place != place) continue;
      asked = first ? read->conditions : list_intersection(asked, read->conditions);
      first = false;
    }
    foreach (cell, asked) hold_only(all->held, place, (Expr*)lfirst(cell));
  }
}

}  // namespace dpmix::pg
