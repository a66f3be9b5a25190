#include "pg/facade/constant_subselects.hpp"

#include "pg/border/compat.hpp"
#include "pg/facade/answer_names.hpp"
#include "pg/facade/matches.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

[[noreturn]] void refuse_subselect() {
  refuse_construct(
      "a subquery in an expression over private rows is",
      "Compare columns with constants or parameters, or join public tables. A subquery "
      "must not depend on the row, but for one comparison in EXISTS (SELECT FROM codes "
      "WHERE codes.id = x).");
}

// Entries of WITH that are named from within a query but stand around it become sub-selects of it.
struct Inlining {
  const QueryLevel* around;
  int depth;  // the depth of the query at hand: 1 for the sub-select itself
};

bool inline_commons(Node* node, void* arg) {
  if (node == NULL) return false;
  Inlining* inlining = (Inlining*)arg;
  if (IsA(node, Query)) {
    inlining->depth++;
    (void)walk_with_entries((Query*)node, inline_commons, arg);
    inlining->depth--;
    return false;
  }
  if (!IsA(node, RangeTblEntry)) return walk_expression(node, inline_commons, arg);
  RangeTblEntry* entry = (RangeTblEntry*)node;
  if (entry->rtekind != RTE_CTE || (int)entry->ctelevelsup < inlining->depth ||
      names_answer(entry)) {
    return false;
  }
  RangeTblEntry named = *entry;
  named.ctelevelsup -= (Index)inlining->depth;
  const CommonTableExpr* common = common_query(inlining->around, &named);
  if (common == NULL || common->cterecursive || entry->self_reference ||
      castNode(Query, common->ctequery)->commandType != CMD_SELECT) {
    refuse_subselect();
  }
  become_copy_of(common, entry);
  return false;
}

// What is computed of answers (value_or_null.hpp) asks for none.
bool asks_dpmix(const FuncExpr* call) {
  if (!is_dpmix_function(call->funcid)) return false;
  const char* name = get_func_name(call->funcid);
  return name == NULL || strcmp(name, "value_or_null") != 0;
}

bool calls_dpmix(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, FuncExpr) && asks_dpmix((FuncExpr*)node)) return true;
  if (IsA(node, Query)) return walk_query((Query*)node, calls_dpmix, arg);
  return walk_expression(node, calls_dpmix, arg);
}

// one: it has one value, which may be a noisy one: that is asked for first.
void close_subselect(const QueryLevel* level, Query* query, bool one) {
  if (refers_outside(query)) refuse_subselect();
  const QueryLevel own = {query, level, level->depth + 1};
  if (has_private_rows(&own)) refuse_subselect();
  Inlining inlining = {level, 0};
  (void)inline_commons((Node*)query, &inlining);
  if (calls_dpmix((Node*)query, NULL) || (!one && reads_answers((Node*)query))) {
    refuse_construct("a subquery of noisy results in a condition over private rows is",
                     "Ask it by itself, and compare with the value that came back.");
  }
}

// The one expression of a SELECT of nothing else; NULL: there is more to it.
Expr* lone_expression(const Query* query) {
  const bool plain = query->commandType == CMD_SELECT && query->jointree->fromlist == NIL &&
                     query->jointree->quals == NULL && query->setOperations == NULL &&
                     query->limitCount == NULL && query->limitOffset == NULL && !query->hasAggs &&
                     query->groupClause == NIL && query->groupingSets == NIL &&
                     query->havingQual == NULL && !query->hasWindowFuncs && !query->hasTargetSRFs &&
                     !query->hasSubLinks && query->cteList == NIL &&
                     list_length(query->targetList) == 1;
  if (!plain) return NULL;
  Expr* made = linitial_node(TargetEntry, query->targetList)->expr;
  return contain_volatile_functions((Node*)made) ? NULL : made;  // once a statement
}

// x op ANY (SELECT y): what is compared with each y, as an array.
Node* over_array(const SubLink* link) {
  const OpExpr* test = IsA(link->testexpr, OpExpr) ? (const OpExpr*)link->testexpr : NULL;
  if (test == NULL || list_length(test->args) != 2) {
    refuse_construct("IN (SELECT ...) of several columns over private rows is",
                     "Compare single columns, or join the table.");
  }
  ScalarArrayOpExpr* made = over_list(test, link, link->subLinkType == ANY_SUBLINK);
  if (made == NULL) refuse_subselect();
  return (Node*)made;
}

// EXISTS that refers to the row. Never NULL.
Node* over_matches(const QueryLevel* level, const SubLink* link) {
  ScalarArrayOpExpr* made = list_of_matches(link);
  if (made == NULL) refuse_subselect();
  Node* values = (Node*)lsecond(made->args);
  while (!IsA(values, SubLink)) values = strip_implicit_coercions(values);
  close_subselect(level, (Query*)((SubLink*)values)->subselect, false);
  BooleanTest* known = makeNode(BooleanTest);
  known->arg = (Expr*)made;
  known->booltesttype = IS_TRUE;
  known->location = -1;
  return (Node*)known;
}

// A condition that has to be true, where it is joined by AND at the top.
Node* without_tests(Node* condition) {
  if (condition == NULL) return NULL;
  if (IsA(condition, BooleanTest) && ((BooleanTest*)condition)->booltesttype == IS_TRUE &&
      IsA(((BooleanTest*)condition)->arg, ScalarArrayOpExpr)) {
    return (Node*)((BooleanTest*)condition)->arg;
  }
  if (!is_andclause(condition)) return condition;
  BoolExpr* made = (BoolExpr*)copyObjectImpl(condition);
  ListCell* cell;
  foreach (cell, made->args) lfirst(cell) = without_tests((Node*)lfirst(cell));
  return (Node*)made;
}

Node* settled(Node* node, void* arg) {
  if (node == NULL) return NULL;
  if (!IsA(node, SubLink)) return mutate_expression(node, settled, arg);
  SubLink* link = (SubLink*)copyObjectImpl(node);
  Query* query = (Query*)link->subselect;
  if (link->subLinkType == EXISTS_SUBLINK && refers_outside(query)) {
    return over_matches((const QueryLevel*)arg, link);
  }
  close_subselect((const QueryLevel*)arg, query, link->subLinkType == EXPR_SUBLINK);
  switch (link->subLinkType) {
    case EXPR_SUBLINK: {
      Expr* alone = lone_expression(query);
      return alone != NULL ? (Node*)alone : (Node*)link;
    }
    case EXISTS_SUBLINK:
    case ARRAY_SUBLINK:
      return (Node*)link;
    case ANY_SUBLINK:
    case ALL_SUBLINK:
      link->testexpr = settled(link->testexpr, arg);
      return over_array(link);
    default:
      refuse_subselect();
  }
}

Node* aggregates_settled(Node* node, void* arg) {
  if (node == NULL || IsA(node, SubLink)) return node;
  if (IsA(node, Aggref) && ((Aggref*)node)->agglevelsup == 0) {
    return mutate_expression(node, settled, arg);
  }
  return mutate_expression(node, aggregates_settled, arg);
}

bool is_correlated(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, SubLink) && refers_outside((Query*)((SubLink*)node)->subselect)) {
    const SubLink* link = (const SubLink*)node;
    return link->subLinkType != EXISTS_SUBLINK || list_of_matches(link) == NULL;
  }
  return walk_expression(node, is_correlated, arg);
}

}  // namespace

bool has_correlated_subselects(const Query* query) {
  return query->hasSubLinks && (is_correlated((Node*)query->targetList, NULL) ||
                                is_correlated((Node*)query->jointree, NULL));
}

void settle_subselects(const QueryLevel* level) {
  Query* query = level->query;
  if (!query->hasSubLinks) return;
  void* arg = (void*)level;
  query->jointree = (FromExpr*)settled((Node*)query->jointree, arg);
  query->jointree->quals = without_tests(query->jointree->quals);
  if (aggregates_rows(query)) {
    query->targetList = (List*)aggregates_settled((Node*)query->targetList, arg);
    query->havingQual = aggregates_settled(query->havingQual, arg);
  } else {
    query->targetList = (List*)settled((Node*)query->targetList, arg);
  }
}

bool is_settled_subselect(const Node* node) {
  if (!IsA(node, SubLink)) return false;
  const SubLinkType type = ((const SubLink*)node)->subLinkType;
  return (type == EXPR_SUBLINK || type == EXISTS_SUBLINK || type == ARRAY_SUBLINK) &&
         !refers_outside((const Query*)((const SubLink*)node)->subselect);
}

}  // namespace dpmix::pg
