#include "pg/scan/open_plan.hpp"

#include "pg/border/compat.hpp"
#include "pg/scan/open_time.hpp"
#include "pg/scan/open_types.hpp"
#include "pg/scan/run_plan.hpp"

extern "C" {
#include "access/genam.h"
#include "access/nbtree.h"
#include "access/table.h"
#include "miscadmin.h"
#include "optimizer/tlist.h"
#include "storage/sinval.h"
#include "utils/lsyscache.h"
#include "utils/relcache.h"
}

namespace dpmix::pg {
namespace {

struct Opening {
  OpenedTypes types;
  const EState* state;
  bool reads_long;  // a column whose values may be stored out of line
};

// An aggregate of different values sorts those of each group.
void open_distinct(const Aggref* aggregate) {
  ListCell* cell;
  foreach (cell, aggregate->aggdistinct) {
    const SortGroupClause* clause = lfirst_node(SortGroupClause, cell);
    const Node* value = get_sortgroupclause_expr((SortGroupClause*)clause, aggregate->args);
    open_sort_operator(clause->sortop, exprCollation(value));
    open_hash_operator(clause->eqop);
  }
}

bool open_node(Node* node, void* arg) {
  if (node == NULL) return false;
  if (!IsA(node, List) && !IsA(node, TargetEntry) && !IsA(node, SortGroupClause)) {
    Opening* opening = (Opening*)arg;
    open_type(&opening->types, exprType(node));
    open_collation(&opening->types, exprCollation(node));
    open_collation(&opening->types, exprInputCollation(node));
    if (IsA(node, FuncExpr)) open_time((const FuncExpr*)node);
    if (IsA(node, Aggref)) open_distinct((const Aggref*)node);
    if (IsA(node, Var) && get_typlen(exprType(node)) == -1) opening->reads_long = true;
  }
  return walk_expression(node, open_node, arg);
}

void open_expressions(Opening* opening, const List* expressions) {
  (void)open_node((Node*)expressions, opening);
}

// Locks are kept: nothing that comes while rows are read makes this process look again.
void open_values_elsewhere(const EState* state, const Scan* scan) {
  const Relation table = state->es_relations[scan->scanrelid - 1];
  const Oid elsewhere = table != NULL ? table->rd_rel->reltoastrelid : InvalidOid;
  if (!OidIsValid(elsewhere)) return;  // or the scan is left out
  Relation values = table_open(elsewhere, AccessShareLock);
  ListCell* cell;
  foreach (cell, RelationGetIndexList(values)) {
    Relation index = index_open(lfirst_oid(cell), AccessShareLock);
    (void)_bt_getrootheight(index);  // and its first page
    index_close(index, NoLock);
  }
  table_close(values, NoLock);
}

// Its hash table is built only when the other side has a row.
void open_hash_join(Opening* opening, const HashJoin* join) {
  open_expressions(opening, join->hashclauses);
  ListCell* cell;
  foreach (cell, join->hashoperators) open_hash_operator(lfirst_oid(cell));
  foreach (cell, join->hashcollations) open_collation(&opening->types, lfirst_oid(cell));
}

// Its operators are looked up when it gets its first row.
void open_sort(Opening* opening, const Sort* sort) {
  for (int i = 0; i < sort->numCols; i++) {
    open_collation(&opening->types, sort->collations[i]);
    open_sort_operator(sort->sortOperators[i], sort->collations[i]);
  }
}

void open_part(Opening* opening, const Plan* plan) {
  if (plan == NULL) return;
  opening->reads_long = false;
  open_expressions(opening, plan->targetlist);
  open_expressions(opening, plan->qual);
  switch (nodeTag(plan)) {
    case T_SeqScan:
      if (opening->reads_long) open_values_elsewhere(opening->state, (const Scan*)plan);
      break;
    case T_HashJoin:
      open_hash_join(opening, (const HashJoin*)plan);
      [[fallthrough]];
    case T_NestLoop:
      open_expressions(opening, ((const Join*)plan)->joinqual);
      break;
    case T_Sort:
      open_sort(opening, (const Sort*)plan);
      break;
    case T_WindowAgg:
      open_expressions(opening, list_make2(((const WindowAgg*)plan)->startOffset,
                                           ((const WindowAgg*)plan)->endOffset));
      break;
    case T_SubqueryScan:
      open_part(opening, ((const SubqueryScan*)plan)->subplan);
      break;
    case T_Append: {
      ListCell* cell;
      foreach (cell, ((const Append*)plan)->appendplans) {
        open_part(opening, (const Plan*)lfirst(cell));
      }
      break;
    }
    default:
      break;
  }
  open_part(opening, plan->lefttree);
  open_part(opening, plan->righttree);
}

void open_all(const QueryDesc* desc) {
  Opening opening = {};
  opening.state = desc->estate;
  open_part(&opening, desc->plannedstmt->planTree);
  ListCell* cell;
  foreach (cell, desc->plannedstmt->subplans) open_part(&opening, (const Plan*)lfirst(cell));
}

}  // namespace

void open_plan(QueryDesc* desc) {
  MemoryContext own =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix opening", ALLOCSET_DEFAULT_SIZES);
  MemoryContext outer = MemoryContextSwitchTo(own);
  // What others change closes what was opened, here as soon as it is heard of: whenever a lock is
  // taken, so never while rows are read, but by plans that start inside of another.
  uint64 heard;
  do {
    CHECK_FOR_INTERRUPTS();
    heard = SharedInvalidMessageCounter;
    open_all(desc);
    for (const RunningPlan* plan = running_plan(); plan != NULL; plan = plan->outer) {
      open_all(plan->desc);
    }
  } while (heard != SharedInvalidMessageCounter);
  MemoryContextSwitchTo(outer);
  MemoryContextDelete(own);
}

}  // namespace dpmix::pg
