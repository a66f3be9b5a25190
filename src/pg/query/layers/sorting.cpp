#include "pg/query/layers/sorting.hpp"

#include "pg/query/layers/marks.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {

List* without_unit(const LayerQuery* level, const List* clauses) {
  List* left = NIL;
  const ListCell* cell;
  foreach (cell, clauses) {
    SortGroupClause* clause = lfirst_node(SortGroupClause, cell);
    if (is_unit(level, get_sortgroupclause_expr(clause, level->query->targetList))) continue;
    left = lappend(left, clause);
  }
  return left;
}

namespace {

// Whether its operators take values of the type.
bool sorts(const SortGroupClause* clause, Oid type) {
  Oid left, right;
  op_input_types(clause->eqop, &left, &right);
  return IsBinaryCoercible(type, left);
}

}  // namespace

List* sorted_clauses(const List* clauses, const List* targets) {
  List* made = NIL;
  const ListCell* cell;
  foreach (cell, clauses) {
    SortGroupClause* clause = (SortGroupClause*)copyObjectImpl(lfirst(cell));
    const Node* now = get_sortgroupclause_expr(clause, (List*)targets);
    if (!sorts(clause, exprType(now))) {
      bool down = false;
      if (OidIsValid(clause->sortop)) (void)get_equality_op_for_ordering_op(clause->sortop, &down);
      SortGroupClause* other = sort_clause(exprType(now), clause->tleSortGroupRef);
      if (down) other->sortop = get_commutator(other->sortop);
      other->nulls_first = clause->nulls_first;
      clause = other;
    }
    clause->hashable = false;
    made = lappend(made, clause);
  }
  return made;
}

Index sorted_target(Query* made, const Node* expression) {
  Index reference = 0;
  TargetEntry* found = NULL;
  ListCell* cell;
  foreach (cell, made->targetList) {
    TargetEntry* target = lfirst_node(TargetEntry, cell);
    reference = Max(reference, target->ressortgroupref);
    if (found == NULL && equal(target->expr, expression)) found = target;
  }
  if (found == NULL) {
    const auto number = (AttrNumber)(list_length(made->targetList) + 1);
    found = makeTargetEntry((Expr*)copyObjectImpl(expression), number, pstrdup("tie"), true);
    made->targetList = lappend(made->targetList, found);
  }
  if (found->ressortgroupref == 0) found->ressortgroupref = reference + 1;
  return found->ressortgroupref;
}

List* with_ties(Query* made, List* clauses, const List* expressions) {
  const ListCell* cell;
  foreach (cell, expressions) {
    const Node* expression = (const Node*)lfirst(cell);
    const Oid type = exprType(expression);
    if (!may_be_key(type, exprCollation(expression))) {
      refuse_construct("the first of rows that tie, beside a column of this type or collation, is",
                       "Select numbers, texts, booleans, dates, time stamps, uuids or enums.");
    }
    const Index reference = sorted_target(made, expression);
    bool sorted = false;
    ListCell* clause;
    foreach (clause, clauses) {
      sorted = sorted || lfirst_node(SortGroupClause, clause)->tleSortGroupRef == reference;
    }
    if (sorted) continue;
    SortGroupClause* more = sort_clause(type, reference);
    more->hashable = false;
    clauses = lappend(clauses, more);
  }
  return clauses;
}

}  // namespace dpmix::pg
