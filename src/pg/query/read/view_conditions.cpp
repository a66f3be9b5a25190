#include "pg/query/read/view_conditions.hpp"

#include "pg/border/compat.hpp"
#include "pg/catalog/block_column.hpp"
#include "pg/catalog/column_origin.hpp"
#include "pg/catalog/table_row.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
}

namespace dpmix::pg {
namespace {

bool only_makes_rows(const Query* query) {
  return query->commandType == CMD_SELECT && query->setOperations == NULL && !query->hasAggs &&
         query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == NULL &&
         query->distinctClause == NIL && !query->hasWindowFuncs && !query->hasTargetSRFs &&
         query->limitCount == NULL && query->limitOffset == NULL;
}

// No outer join makes up a row in its place.
bool is_never_missing(const Node* from, int varno) {
  if (IsA(from, RangeTblRef)) return ((const RangeTblRef*)from)->rtindex == varno;
  if (!IsA(from, JoinExpr)) return false;
  const JoinExpr* join = (const JoinExpr*)from;
  const bool left = join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT;
  const bool right = join->jointype == JOIN_INNER || join->jointype == JOIN_RIGHT;
  return (left && is_never_missing(join->larg, varno)) ||
         (right && is_never_missing(join->rarg, varno));
}

bool is_in_from(const Query* text, int varno) {
  const ListCell* cell;
  foreach (cell, text->jointree->fromlist) {
    if (is_never_missing((const Node*)lfirst(cell), varno)) return true;
  }
  return false;
}

struct Condition {
  int varno;
  Oid view;
  const Query* body;
  bool of_view;  // all of its columns are those of the view, handed on as they are
  bool of_block;
};

bool is_block_column(const ColumnOrigin& origin) {
  if (!OidIsValid(origin.relation)) return false;
  const CatalogRow* row = find_catalog_row(origin.relation);
  return row != NULL && row->active &&
         find_block_column(row->id, origin.relation).column == origin.column;
}

const Var* column_below(const Query* body, AttrNumber column) {
  const TargetEntry* target = get_tle_by_resno(body->targetList, column);
  const Node* value = target != NULL ? (const Node*)target->expr : NULL;
  return value != NULL && IsA(value, Var) ? (const Var*)value : NULL;
}

bool look_at(Node* node, void* arg) {
  if (node == NULL) return false;
  Condition* condition = (Condition*)arg;
  if (IsA(node, SubLink) || IsA(node, Query)) condition->of_view = false;
  if (IsA(node, Var)) {
    const Var* column = (const Var*)node;
    const bool own =
        column->varno == condition->varno && column->varlevelsup == 0 && column->varattno > 0;
    condition->of_view =
        condition->of_view && own && column_below(condition->body, column->varattno) != NULL;
    condition->of_block =
        condition->of_block || (condition->of_view && is_block_column(only_origin_of_column(
                                                          condition->view, column->varattno)));
    return false;
  }
  return condition->of_view && walk_expression(node, look_at, arg);
}

Node* put_below(Node* node, void* body) {
  if (node == NULL) return NULL;
  if (!IsA(node, Var)) return mutate_expression(node, put_below, body);
  return (Node*)copyObjectImpl(column_below((const Query*)body, ((const Var*)node)->varattno));
}

}  // namespace

void repeat_block_conditions(const Query* text, int varno, Oid view, Query* body) {
  if (text->jointree == NULL || text->jointree->quals == NULL || !only_makes_rows(body) ||
      !is_in_from(text, varno)) {
    return;
  }
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)text->jointree->quals)) {
    Node* one = flatten_join_columns((Query*)text, (Node*)copyObjectImpl(lfirst(cell)));
    Condition condition = {varno, view, body, true, false};
    (void)look_at(one, &condition);
    if (!condition.of_view || !condition.of_block || contain_volatile_functions(one)) continue;
    body->jointree->quals = make_and_qual(body->jointree->quals, put_below(one, body));
  }
}

}  // namespace dpmix::pg
