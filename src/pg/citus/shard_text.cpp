#include "pg/citus/shard_text.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// What is sent to other nodes is text, and an implicit cast to another collation is written without
// it: the column's own would be taken there, which may be one that no query accepts.
Node* name_collation(Node* node, void* arg) {
  if (node == NULL) return NULL;
  Node* made = mutate_expression(node, name_collation, arg);
  if (!IsA(made, RelabelType)) return made;
  RelabelType* relabel = (RelabelType*)made;
  const Oid wanted = relabel->resultcollid, own = exprCollation((Node*)relabel->arg);
  if (!OidIsValid(wanted) || wanted == own) return made;
  relabel->resultcollid = OidIsValid(own) ? own : get_typcollation(relabel->resulttype);
  CollateExpr* collate = makeNode(CollateExpr);
  collate->arg = (Expr*)relabel;
  collate->collOid = wanted;
  collate->location = -1;
  return (Node*)collate;
}

// EXISTS, IN, and that there is none: joins, too.
bool is_link(const Node* condition) {
  const BoolExpr* no = IsA(condition, BoolExpr) ? (const BoolExpr*)condition : NULL;
  if (no != NULL && no->boolop == NOT_EXPR) condition = (const Node*)linitial(no->args);
  return IsA(condition, SubLink);
}

bool compares_columns(const Node* condition) {
  return IsA(condition, OpExpr) && list_length(((const OpExpr*)condition)->args) == 2 &&
         IsA(linitial(((const OpExpr*)condition)->args), Var) &&
         IsA(lsecond(((const OpExpr*)condition)->args), Var);
}

Node* hidden(Node* condition) {
  BooleanTest* test = makeNode(BooleanTest);
  test->arg = (Expr*)condition;
  test->booltesttype = IS_TRUE;
  test->location = -1;
  return (Node*)test;
}

// Conditions as one that no index answers and that names no shard: how much other nodes read shows
// there, to whoever may look, and the settings of this session do not reach them. But for those by
// which tables are joined.
Node* hidden_conditions(Node* conditions) {
  List *joining = NIL, *others = NIL;
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)conditions)) {
    Node* condition = (Node*)lfirst(cell);
    if (compares_columns(condition) || is_link(condition)) {
      joining = lappend(joining, condition);
    } else {
      others = lappend(others, condition);
    }
  }
  if (others != NIL) joining = lappend(joining, hidden((Node*)make_ands_explicit(others)));
  return joining != NIL ? (Node*)make_ands_explicit(joining) : NULL;
}

void hide_conditions(Node* node) {
  if (IsA(node, RangeTblRef)) return;
  if (IsA(node, JoinExpr)) {
    JoinExpr* join = (JoinExpr*)node;
    hide_conditions(join->larg);
    hide_conditions(join->rarg);
    join->quals = hidden_conditions(join->quals);
    return;
  }
  FromExpr* from = castNode(FromExpr, node);
  ListCell* cell;
  foreach (cell, from->fromlist) hide_conditions((Node*)lfirst(cell));
  from->quals = hidden_conditions(from->quals);
}

bool write_links(Node* node, void*) {
  if (node == NULL) return false;
  if (IsA(node, SubLink)) write_for_shards(castNode(Query, ((SubLink*)node)->subselect));
  return walk_expression(node, write_links, NULL);
}

}  // namespace

void write_for_shards(Query* query) {
  Node* conditions = (Node*)query->jointree;
  for (Node* part : {(Node*)query->targetList, conditions, query->havingQual}) {
    if (!contain_mutable_functions(part)) continue;
    refuse(ErrorCode::query_not_allowed,
           "the time zone of the session decides on an expression of this query",
           "The rows are distributed; other nodes have a time zone of their own.",
           "Let the owner store a column of type date or timestamp.");
  }
  query->targetList = (List*)name_collation((Node*)query->targetList, NULL);
  query->jointree = (FromExpr*)name_collation((Node*)query->jointree, NULL);
  query->havingQual = name_collation(query->havingQual, NULL);
  for (Node* part : {(Node*)query->targetList, (Node*)query->jointree, query->havingQual}) {
    (void)write_links(part, NULL);
  }
  hide_conditions((Node*)query->jointree);
}

}  // namespace dpmix::pg
