#include "pg/facade/memberships.hpp"

#include <utility>

#include "pg/border/compat.hpp"
#include "pg/facade/answer_names.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

struct Equated {  // a key of the groups with a column of the results
  Node* test;     // key = column, or key IS NOT DISTINCT FROM column
  void** column;  // a Var in it
};

const Var* column_of(const Equated* equated) {
  return (const Var*)*equated->column;
}

bool names(const void* node, int varno) {
  return bms_is_member(varno, pull_varnos(NULL, (Node*)node));
}

// The comparison of a condition that two values are equal; NULL: it is another one.
OpExpr* equality_in(Node* condition) {
  if (is_notclause(condition)) {
    Node* differs = (Node*)get_notclausearg((Expr*)condition);
    return IsA(differs, DistinctExpr) ? (OpExpr*)differs : NULL;
  }
  const bool equal = IsA(condition, OpExpr) &&
                     comparison_strategy(((OpExpr*)condition)->opno) == BTEqualStrategyNumber;
  return equal ? (OpExpr*)condition : NULL;
}

// A side of a comparison, under casts that change nothing.
void** unlabelled(void** side) {
  while (IsA(*side, RelabelType)) side = (void**)&((RelabelType*)*side)->arg;
  return side;
}

// Then one key could equal several values of the results, which are different ones for them.
bool is_loose(const OpExpr* equality) {
  return OidIsValid(equality->inputcollid) && !get_collation_isdeterministic(equality->inputcollid);
}

// NULL: it says something else of the results.
Equated* equated_by(const Node* condition, int varno, const List* keys) {
  Node* test = (Node*)copyObjectImpl(condition);
  OpExpr* equality = equality_in(test);
  if (equality == NULL || list_length(equality->args) != 2 || is_loose(equality)) return NULL;
  if (names(linitial(equality->args), varno)) {
    std::swap(linitial(equality->args), lsecond(equality->args));
    equality->opno = get_commutator(equality->opno);
    equality->opfuncid = InvalidOid;
  }
  void** key = unlabelled(&linitial(equality->args));
  void** column = unlabelled(&lsecond(equality->args));
  const Var* var = IsA(*column, Var) ? (const Var*)*column : NULL;
  if (var == NULL || var->varno != varno || var->varlevelsup > 0 || var->varattno <= 0 ||
      !OidIsValid(equality->opno) || !list_member(keys, *key)) {
    return NULL;
  }
  Equated* made = (Equated*)palloc(sizeof(Equated));
  *made = {test, column};
  return made;
}

bool is_equated(const List* equated, const TargetEntry* entry) {
  const ListCell* cell;
  foreach (cell, equated) {
    const Equated* one = (const Equated*)lfirst(cell);
    if (column_of(one)->varattno == entry->resno) return !entry->resjunk;
  }
  return false;
}

bool are_equated(const List* equated, const List* clauses, const List* targets) {
  const ListCell* cell;
  foreach (cell, clauses) {
    const SortGroupClause* clause = lfirst_node(SortGroupClause, cell);
    if (!is_equated(equated, get_sortgroupclause_tle((SortGroupClause*)clause, (List*)targets))) {
      return false;
    }
  }
  return true;
}

// The columns of an answer that are its keys, which together are of one row each.
bool are_answer_keys_equated(const List* equated, const Query* results,
                             const StatementAnswers* answers) {
  const List* from = results->jointree->fromlist;
  if (list_length(from) != 1 || !IsA(linitial(from), RangeTblRef)) return false;
  const int varno = linitial_node(RangeTblRef, from)->rtindex;
  const RangeTblEntry* entry = rt_fetch(varno, results->rtable);
  const int keys = names_answer(entry) ? keys_of_answer(answers, entry) : -1;
  int found = 0;
  for (int key = 1; key <= keys; key++) {
    const ListCell* cell;
    foreach (cell, results->targetList) {
      const TargetEntry* target = lfirst_node(TargetEntry, cell);
      const Var* column = IsA(target->expr, Var) ? (const Var*)target->expr : NULL;
      if (column == NULL || column->varno != varno || column->varattno != key) continue;
      if (!is_equated(equated, target)) continue;
      found++;
      break;
    }
  }
  return keys >= 0 && found == keys;
}

bool has_each_once(const List* equated, const Query* results, const StatementAnswers* answers) {
  if (results->commandType != CMD_SELECT || results->setOperations != NULL ||
      results->hasTargetSRFs || results->groupingSets != NIL || results->hasDistinctOn ||
      refers_outside(results)) {
    return false;
  }
  if (results->groupClause != NIL) {
    return are_equated(equated, results->groupClause, results->targetList);
  }
  if (results->hasAggs || results->havingQual != NULL) return true;  // one row
  if (results->distinctClause != NIL) {
    return are_equated(equated, results->distinctClause, results->targetList);
  }
  return are_answer_keys_equated(equated, results, answers);
}

// Conditions without those that name the results, which go to a list.
Node* without_conditions(Node* quals, int varno, List** taken) {
  List* left = NIL;
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)quals)) {
    List** to = names(lfirst(cell), varno) ? taken : &left;
    *to = lappend(*to, lfirst(cell));
  }
  return left == NIL ? NULL : (Node*)make_ands_explicit(left);
}

struct Taking {
  int varno;
  List* taken;  // conditions that name it
  Node* moved;  // other conditions of joins that are none any more
};

Node* without_table(Node* node, Taking* taking) {
  if (IsA(node, RangeTblRef)) {
    return ((RangeTblRef*)node)->rtindex == taking->varno ? NULL : node;
  }
  JoinExpr* join = (JoinExpr*)node;
  if (join->jointype != JOIN_INNER) return node;
  join->larg = without_table(join->larg, taking);
  join->rarg = without_table(join->rarg, taking);
  join->quals = without_conditions(join->quals, taking->varno, &taking->taken);
  if (join->larg != NULL && join->rarg != NULL) return node;
  taking->moved = make_and_qual(taking->moved, join->quals);
  return join->larg != NULL ? join->larg : join->rarg;
}

FromExpr* without_results(const Query* query, Taking* taking) {
  const FromExpr* copy = (const FromExpr*)copyObjectImpl(query->jointree);
  List* from = NIL;
  ListCell* cell;
  foreach (cell, copy->fromlist) {
    Node* item = without_table((Node*)lfirst(cell), taking);
    if (item != NULL) from = lappend(from, item);
  }
  Node* quals = without_conditions(copy->quals, taking->varno, &taking->taken);
  return makeFromExpr(from, make_and_qual(quals, taking->moved));
}

// The keys with columns of the results, if nothing else is said of these; otherwise NIL.
List* equated_of(const Query* query, const FromExpr* left, const Taking* taking, const List* keys) {
  if (taking->taken == NIL || left->fromlist == NIL || names(left, taking->varno) ||
      names(query->targetList, taking->varno) || names(query->havingQual, taking->varno)) {
    return NIL;
  }
  List* equated = NIL;
  Bitmapset* columns = NULL;
  const ListCell* cell;
  foreach (cell, taking->taken) {
    Equated* one = equated_by((const Node*)lfirst(cell), taking->varno, keys);
    if (one == NULL || bms_is_member(column_of(one)->varattno, columns)) return NIL;
    columns = bms_add_member(columns, column_of(one)->varattno);
    equated = lappend(equated, one);
  }
  return equated;
}

// SELECT columns FROM the results, in a query below the one that read them.
Query* selected(const RangeTblEntry* results, const List* equated) {
  RangeTblEntry* entry = (RangeTblEntry*)copyObjectImpl(results);
  if (entry->rtekind == RTE_CTE) {
    entry->ctelevelsup++;
  } else {
    IncrementVarSublevelsUp((Node*)entry->subquery, 1, 1);
    become_plain_subquery(entry);
  }
  Query* query = makeNode(Query);
  query->commandType = CMD_SELECT;
  query->canSetTag = true;
  query->rtable = list_make1(entry);
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  query->jointree = makeFromExpr(list_make1(reference), NULL);
  const ListCell* cell;
  foreach (cell, equated) {
    Var* column = (Var*)copyObjectImpl(column_of((const Equated*)lfirst(cell)));
    column->varno = 1;
    const int number = list_length(query->targetList) + 1;
    query->targetList =
        lappend(query->targetList,
                makeTargetEntry((Expr*)column, (AttrNumber)number, psprintf("c%d", number), false));
  }
  return query;
}

// (keys) IN (SELECT columns ...)
Node* membership(const RangeTblEntry* results, const List* equated) {
  SubLink* link = makeNode(SubLink);
  link->subLinkType = ANY_SUBLINK;
  link->subselect = (Node*)selected(results, equated);
  List* tests = NIL;
  const ListCell* cell;
  foreach (cell, equated) {
    const Equated* one = (const Equated*)lfirst(cell);
    Param* column = parameter_for((const Node*)column_of(one), list_length(tests) + 1);
    column->paramkind = PARAM_SUBLINK;
    *one->column = column;
    tests = lappend(tests, one->test);
  }
  link->testexpr = (Node*)make_ands_explicit(tests);
  link->location = -1;
  return (Node*)link;
}

// What an entry of FROM selects, if that is no rows of facades; NULL: it is.
const Query* results_of(const QueryLevel* level, const RangeTblEntry* entry) {
  if (facade_of_entry(entry) != NULL || names_answer(entry)) return NULL;
  if (entry->rtekind == RTE_SUBQUERY) return entry->subquery;
  if (entry->rtekind != RTE_CTE) return NULL;
  const CommonTableExpr* common = common_query(level, entry);
  if (common == NULL || common->cterecursive || !IsA(common->ctequery, Query)) return NULL;
  return (const Query*)common->ctequery;
}

Node* take_membership(const QueryLevel* level, int varno, const StatementAnswers* answers,
                      const List* keys) {
  Query* query = level->query;
  const RangeTblEntry* entry = rt_fetch(varno, query->rtable);
  const Query* results = results_of(level, entry);
  if (results == NULL || entry->lateral) return NULL;
  Taking taking = {varno, NIL, NULL};
  FromExpr* left = without_results(query, &taking);
  const List* equated = equated_of(query, left, &taking, keys);
  if (equated == NIL || !has_each_once(equated, results, answers)) return NULL;
  query->jointree = left;
  query->hasSubLinks = true;
  return membership(entry, equated);
}

void collect_inner_tables(const Node* node, List** varnos) {
  if (IsA(node, RangeTblRef)) {
    *varnos = lappend_int(*varnos, ((const RangeTblRef*)node)->rtindex);
  } else if (IsA(node, JoinExpr) && ((const JoinExpr*)node)->jointype == JOIN_INNER) {
    collect_inner_tables(((const JoinExpr*)node)->larg, varnos);
    collect_inner_tables(((const JoinExpr*)node)->rarg, varnos);
  }
}

}  // namespace

Node* take_memberships(const QueryLevel* level, const StatementAnswers* answers, const List* keys) {
  List* varnos = NIL;
  ListCell* cell;
  foreach (cell, level->query->jointree->fromlist) {
    collect_inner_tables((const Node*)lfirst(cell), &varnos);
  }
  Node* conditions = NULL;
  foreach (cell, varnos) {
    Node* one = take_membership(level, lfirst_int(cell), answers, keys);
    if (one != NULL) conditions = make_and_qual(conditions, one);
  }
  return conditions;
}

}  // namespace dpmix::pg
