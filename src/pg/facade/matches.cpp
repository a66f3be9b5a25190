#include "pg/facade/matches.hpp"

#include "pg/border/compat.hpp"
#include "pg/facade/recognise.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// LIMIT 1, as people write below EXISTS.
bool leaves_a_row(const Node* limit) {
  if (limit == NULL) return true;
  const Node* made = eval_const_expressions(NULL, (Node*)copyObjectImpl(limit));
  return is_constant(made) && DatumGetInt64(constant_value(made)) > 0;
}

bool chooses_rows(const Query* query) {
  return query->commandType == CMD_SELECT && query->setOperations == NULL && !query->hasAggs &&
         query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == NULL &&
         !query->hasTargetSRFs && leaves_a_row(query->limitCount) && query->limitOffset == NULL &&
         query->rowMarks == NIL && query->jointree->quals != NULL;
}

// Whether a node is about the row around, and nothing else; below: about the rows that are read.
bool is_of_row(Node* node) {
  return contain_vars_of_level(node, 1) && !contain_vars_of_level(node, 0) &&
         !contain_subplans(node) && !contain_volatile_functions(node);
}

bool is_read(Node* node) {
  return !contain_vars_of_level(node, 1) && contain_vars_of_level(node, 0);
}

struct Match {
  OpExpr* test;  // row op read, with the row's side as it stands around the sub-select
  Expr* read;
};

bool as_match(const Node* condition, Match* match) {
  if (!IsA(condition, OpExpr) || list_length(((const OpExpr*)condition)->args) != 2) return false;
  OpExpr* test = (OpExpr*)copyObjectImpl(condition);
  if (is_read((Node*)linitial(test->args))) CommuteOpExpr(test);
  Node *row = (Node*)linitial(test->args), *read = (Node*)lsecond(test->args);
  if (!is_of_row(row) || !is_read(read)) return false;
  IncrementVarSublevelsUp(row, -1, 1);
  *match = {test, (Expr*)read};
  return true;
}

bool can_turn(const Node* condition) {
  return !IsA(condition, OpExpr) || OidIsValid(get_commutator(((const OpExpr*)condition)->opno));
}

}  // namespace

ScalarArrayOpExpr* over_list(const OpExpr* test, const SubLink* link, bool any) {
  SubLink* listed = (SubLink*)copyObjectImpl(link);
  listed->subLinkType = ARRAY_SUBLINK;
  listed->testexpr = NULL;
  listed->operName = NIL;
  const Oid array = get_array_type(exprType((Node*)lsecond(test->args)));
  if (!OidIsValid(array)) return NULL;
  Node* values = coerce_to_target_type(NULL, (Node*)listed, exprType((Node*)listed), array, -1,
                                       COERCION_EXPLICIT, COERCE_IMPLICIT_CAST, -1);
  if (values == NULL) return NULL;
  ScalarArrayOpExpr* made = makeNode(ScalarArrayOpExpr);
  made->opno = test->opno;
  made->opfuncid = test->opfuncid;
  made->inputcollid = test->inputcollid;
  made->useOr = any;
  made->args = list_make2(linitial(test->args), values);
  made->location = -1;
  return made;
}

ScalarArrayOpExpr* list_of_matches(const SubLink* exists) {
  SubLink* link = (SubLink*)copyObjectImpl(exists);
  Query* query = (Query*)link->subselect;
  if (!chooses_rows(query)) return NULL;
  Match match = {};
  List* others = NIL;
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)query->jointree->quals)) {
    Node* condition = (Node*)lfirst(cell);
    if (match.test == NULL && can_turn(condition) && as_match(condition, &match)) continue;
    others = lappend(others, condition);
  }
  if (match.test == NULL) return NULL;
  query->jointree->quals = others == NIL ? NULL : (Node*)make_ands_explicit(others);
  query->targetList = list_make1(makeTargetEntry(match.read, 1, pstrdup("match"), false));
  query->distinctClause = query->sortClause = NIL;
  query->limitCount = NULL;
  query->limitOption = LIMIT_OPTION_COUNT;
  query->hasDistinctOn = false;
  query->hasWindowFuncs = false;
  query->windowClause = NIL;
  if (refers_outside(query)) return NULL;
  return over_list(match.test, link, true);
}

}  // namespace dpmix::pg
