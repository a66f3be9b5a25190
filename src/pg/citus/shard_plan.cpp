#include "pg/citus/shard_plan.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_places.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "tcop/tcopprot.h"
#include "utils/lsyscache.h"
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

// What Citus computes first, to be read by another part of a query, it plans as a query of its own
// while it plans that one.
planner_hook_type planner_before = NULL;
int plans_at_work = 0, plans_inside = 0;

PlannedStmt* plan(Query* query, const char* text, int options, ParamListInfo parameters) {
  PlannedStmt* planned = NULL;
  plans_inside += plans_at_work++ > 0;
  PG_TRY();
  {
    planned = planner_before != NULL ? planner_before(query, text, options, parameters)
                                     : standard_planner(query, text, options, parameters);
  }
  PG_FINALLY();
  { plans_at_work--; }
  PG_END_TRY();
  return planned;
}

// What lies on this node Citus would plan and read within this process, by no fixed path.
void require_elsewhere(const Query* query) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_SUBQUERY) require_elsewhere(entry->subquery);
    if (entry->rtekind != RTE_RELATION || !has_shards(entry->relid)) continue;
    if (!has_shards_here(entry->relid)) continue;
    refuse(ErrorCode::query_not_allowed,
           psprintf("table %s has shards on the coordinator", get_rel_name(entry->relid)),
           "What is read there is not hidden as that of a local table is.",
           "citus_set_node_property(host, port, 'shouldhaveshards', false), and "
           "rebalance_table_shards() or citus_drain_node(host, port), move them.");
  }
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

void shard_plan_init() {
  planner_before = planner_hook;
  planner_hook = plan;
}

PlannedStmt* plan_on_shards(Query* query, const char* text, int options, ParamListInfo parameters) {
  require_elsewhere(query);
  plans_inside = 0;
  PlannedStmt* planned = pg_plan_query(query, text, options, parameters);
  if (plans_inside == 0) return planned;
  refuse(ErrorCode::query_not_allowed, "Citus would not answer this query on the shards alone",
         "Rows would be brought here, and kept on disk.",
         "Join distributed tables on their privacy units, and with public reference tables.");
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
