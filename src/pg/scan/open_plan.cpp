#include "pg/scan/open_plan.hpp"

#include "pg/border/compat.hpp"
#include "pg/scan/open_types.hpp"
#include "pg/scan/run_plan.hpp"

extern "C" {
#include "access/genam.h"
#include "access/nbtree.h"
#include "access/table.h"
#include "miscadmin.h"
#include "storage/sinval.h"
#include "utils/relcache.h"
}

namespace dpmix::pg {
namespace {

bool open_node(Node* node, void* arg) {
  if (node == NULL) return false;
  if (!IsA(node, List) && !IsA(node, TargetEntry) && !IsA(node, SortGroupClause)) {
    OpenedTypes* opened = (OpenedTypes*)arg;
    open_type(opened, exprType(node));
    open_collation(opened, exprCollation(node));
    open_collation(opened, exprInputCollation(node));
  }
  return walk_expression(node, open_node, arg);
}

void open_expressions(OpenedTypes* opened, const List* expressions) {
  (void)open_node((Node*)expressions, opened);
}

// Built only when the other side has a row.
void open_hashing(OpenedTypes* opened, const HashJoin* join) {
  open_expressions(opened, join->hashclauses);
  open_expressions(opened, join->hashkeys);
  ListCell* cell;
  foreach (cell, join->hashoperators) open_hash_operator(lfirst_oid(cell));
  foreach (cell, join->hashcollations) open_collation(opened, lfirst_oid(cell));
}

void open_part(OpenedTypes* opened, const Plan* plan) {
  if (plan == NULL) return;
  open_expressions(opened, plan->targetlist);
  open_expressions(opened, plan->qual);
  switch (nodeTag(plan)) {
    case T_HashJoin:
      open_hashing(opened, (const HashJoin*)plan);
      [[fallthrough]];
    case T_NestLoop:
      open_expressions(opened, ((const Join*)plan)->joinqual);
      break;
    case T_SubqueryScan:
      open_part(opened, ((const SubqueryScan*)plan)->subplan);
      break;
    case T_Append: {
      ListCell* cell;
      foreach (cell, ((const Append*)plan)->appendplans) {
        open_part(opened, (const Plan*)lfirst(cell));
      }
      break;
    }
    default:
      break;
  }
  open_part(opened, plan->lefttree);
  open_part(opened, plan->righttree);
}

// Locks are kept: nothing that comes while rows are read makes this process look again.
void open_values_elsewhere(Oid relation) {
  if (!OidIsValid(relation)) return;
  Relation values = table_open(relation, AccessShareLock);
  ListCell* cell;
  foreach (cell, RelationGetIndexList(values)) {
    Relation index = index_open(lfirst_oid(cell), AccessShareLock);
    (void)_bt_getrootheight(index);  // and its first page
    index_close(index, NoLock);
  }
  table_close(values, NoLock);
}

void open_tables(const EState* state) {
  for (Index i = 0; i < state->es_range_table_size; i++) {
    const Relation table = state->es_relations != NULL ? state->es_relations[i] : NULL;
    if (table != NULL) open_values_elsewhere(table->rd_rel->reltoastrelid);
  }
}

void open_all(const QueryDesc* desc) {
  OpenedTypes opened = {};
  open_part(&opened, desc->plannedstmt->planTree);
  open_tables(desc->estate);
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
