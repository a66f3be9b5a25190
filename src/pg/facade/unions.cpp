#include "pg/facade/unions.hpp"

#include "pg/border/compat.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parsetree.h"
}

namespace dpmix::pg {
namespace {

bool unites(const Node* node, UnionKind kind) {
  if (!IsA(node, SetOperationStmt)) return true;
  const auto* operation = (const SetOperationStmt*)node;
  // UNION makes equal rows one, whether or not parts of it did before.
  return operation->op == SETOP_UNION && (operation->all == (kind == UnionKind::all)) &&
         unites(operation->larg, kind) && unites(operation->rarg, kind);
}

template <class Use>
void each_operation(Node* node, Use use) {
  if (!IsA(node, SetOperationStmt)) return;
  auto* operation = (SetOperationStmt*)node;
  use(operation);
  each_operation(operation->larg, use);
  each_operation(operation->rarg, use);
}

void collect_parts(const Query* query, const Node* node, List** parts) {
  if (IsA(node, SetOperationStmt)) {
    collect_parts(query, ((const SetOperationStmt*)node)->larg, parts);
    collect_parts(query, ((const SetOperationStmt*)node)->rarg, parts);
    return;
  }
  *parts = lappend(*parts, rt_fetch(((const RangeTblRef*)node)->rtindex, query->rtable));
}

// What UNION compares by, for DISTINCT: what ORDER BY sorts comes first, in its order.
void compare_columns(Query* query, const List* clauses) {
  const ListCell *cell, *entry;
  foreach (cell, query->sortClause) {
    query->distinctClause = lappend(query->distinctClause, copyObjectImpl(lfirst(cell)));
  }
  forboth(cell, clauses, entry, query->targetList) {
    TargetEntry* target = lfirst_node(TargetEntry, entry);
    const Index reference = assignSortGroupRef(target, query->targetList);
    if (get_sortgroupref_clause_noerr(reference, query->distinctClause) != NULL) continue;
    SortGroupClause* clause = (SortGroupClause*)copyObjectImpl(lfirst(cell));
    clause->tleSortGroupRef = reference;
    query->distinctClause = lappend(query->distinctClause, clause);
  }
}

RangeTblEntry* entry_over(Query* inner) {
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_SUBQUERY;
  entry->subquery = inner;
  entry->eref = makeAlias("united", NIL);
  entry->inFromCl = true;
  const ListCell* cell;
  foreach (cell, inner->targetList) {
    entry->eref->colnames = lappend(entry->eref->colnames,
                                    makeString(pstrdup(lfirst_node(TargetEntry, cell)->resname)));
  }
  return entry;
}

}  // namespace

bool is_union(const Query* query, UnionKind kind) {
  // LIMIT may read WITH queries, which stay within.
  return query->commandType == CMD_SELECT && query->setOperations != NULL &&
         unites(query->setOperations, kind) && !query->hasModifyingCTE &&
         (kind == UnionKind::all || !query->hasSubLinks);
}

List* parts_of_union(const Query* query) {
  List* parts = NIL;
  collect_parts(query, query->setOperations, &parts);
  return parts;
}

void add_union_column(Query* query, Oid type) {
  each_operation(query->setOperations, [&](SetOperationStmt* operation) {
    operation->colTypes = lappend_oid(operation->colTypes, type);
    operation->colTypmods = lappend_int(operation->colTypmods, -1);
    operation->colCollations = lappend_oid(operation->colCollations, InvalidOid);
  });
}

void select_over_union(Query* query) {
  Query* inner = (Query*)copyObjectImpl(query);
  IncrementVarSublevelsUp((Node*)inner, 1, 1);
  Query* outer = makeNode(Query);
  outer->commandType = CMD_SELECT;
  outer->querySource = query->querySource;
  outer->queryId = query->queryId;
  outer->canSetTag = query->canSetTag;
  outer->stmt_location = query->stmt_location;
  outer->stmt_len = query->stmt_len;
  outer->rtable = list_make1(entry_over(inner));
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  outer->jointree = makeFromExpr(list_make1(reference), NULL);
  ListCell* cell;
  foreach (cell, inner->targetList) {
    TargetEntry* below = lfirst_node(TargetEntry, cell);
    TargetEntry* target = flatCopyTargetEntry(below);
    target->expr = (Expr*)makeVarFromTargetEntry(1, below);
    outer->targetList = lappend(outer->targetList, target);
  }
  const SetOperationStmt* operation = castNode(SetOperationStmt, inner->setOperations);
  if (!operation->all) {
    outer->sortClause = inner->sortClause;
    outer->limitOffset = inner->limitOffset;
    outer->limitCount = inner->limitCount;
    outer->limitOption = inner->limitOption;
    inner->sortClause = NIL;
    inner->limitOffset = inner->limitCount = NULL;
    inner->limitOption = LIMIT_OPTION_COUNT;
    compare_columns(outer, operation->groupClauses);
    each_operation(inner->setOperations, [](SetOperationStmt* one) {
      one->all = true;
      one->groupClauses = NIL;
    });
    foreach (cell, inner->targetList) lfirst_node(TargetEntry, cell)->ressortgroupref = 0;
  } else {
    foreach (cell, outer->targetList) lfirst_node(TargetEntry, cell)->ressortgroupref = 0;
  }
  *query = *outer;
}

}  // namespace dpmix::pg
