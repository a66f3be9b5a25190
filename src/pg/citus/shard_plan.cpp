#include "pg/citus/shard_plan.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "nodes/nodeFuncs.h"
}

namespace dpmix::pg {
namespace {

bool is_strange(Oid function, void*) {
  if (function < FirstNormalObjectId || is_dpmix_function(function)) return false;
  const Oid extension = getExtensionOfObject(ProcedureRelationId, function);
  return !OidIsValid(extension) || extension != get_extension_oid("citus", true);
}

bool find_strange(Node* node, void* found) {
  if (node == NULL) return false;
  if (check_functions_in_node(node, is_strange, NULL)) return true;
  return walk_expression(node, find_strange, found);
}

bool calls_strangers(const Plan* plan) {
  if (plan == NULL) return false;
  return find_strange((Node*)plan->targetlist, NULL) || find_strange((Node*)plan->qual, NULL) ||
         calls_strangers(plan->lefttree) || calls_strangers(plan->righttree);
}

}  // namespace

bool reads_distributed(const Query* query) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_RELATION && is_distributed(entry->relid)) return true;
    if (entry->rtekind == RTE_SUBQUERY && reads_distributed(entry->subquery)) return true;
  }
  return false;
}

void require_known_functions(const PlannedStmt* plan) {
  bool found = calls_strangers(plan->planTree);
  ListCell* cell;
  foreach (cell, plan->subplans) found = found || calls_strangers((const Plan*)lfirst(cell));
  if (!found) return;
  refuse(ErrorCode::query_not_allowed,
         "a function of this database stands in for one that joins what shards computed",
         "Citus finds such aggregates by name and argument, in every schema.",
         "Drop aggregates of users named sum or array_cat_agg that take anyelement or a state of "
         "dpmix.");
}

}  // namespace dpmix::pg
