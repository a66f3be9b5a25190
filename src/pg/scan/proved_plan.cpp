#include "pg/scan/proved_plan.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/scan/memory_plan.hpp"
#include "pg/scan/shared_rows.hpp"

extern "C" {
#include "nodes/nodes.h"
}

namespace dpmix::pg {
namespace {

// Where rows of tables come from. Above a scan of a table each node must ask for all of its rows.
// NULL: so it does.
const char* walk(const Plan* plan);

const char* walk_list(const List* plans) {
  const char* found = NULL;
  ListCell* cell;
  foreach (cell, plans) found = found != NULL ? found : walk((const Plan*)lfirst(cell));
  return found;
}

// Rows of a table that is held in memory.
bool is_held(const Plan* plan) {
  return IsA(plan, NamedTuplestoreScan) ||
         (IsA(plan, FunctionScan) && reads_held_rows((const FunctionScan*)plan));
}

// A node that may be read in part, or not at all: only memory of the process is below it.
const char* held_alone(const Plan* plan) {
  if (plan == NULL || is_held(plan)) return NULL;
  switch (nodeTag(plan)) {
    case T_Material:
    case T_Hash:
    case T_HashJoin:
    case T_NestLoop:
    case T_Result:
      break;
    case T_SubqueryScan:
      return held_alone(((const SubqueryScan*)plan)->subplan);
    default:
      return "a table on the side of a join that may be left out";
  }
  if (plan->initPlan != NIL) return "a subplan";
  const char* left = held_alone(plan->lefttree);
  return left != NULL ? left : held_alone(plan->righttree);
}

const char* walk_join(const Join* join) {
  if (join->jointype != JOIN_INNER && join->jointype != JOIN_LEFT && join->jointype != JOIN_RIGHT) {
    return "a join that stops at the first match";
  }
  // The shares of privacy units: a scan for each number, however many there are.
  const Plan* shares = join->plan.lefttree;
  if (IsA(shares, SubqueryScan)) shares = ((const SubqueryScan*)shares)->subplan;
  if (IsA(join, NestLoop) && IsA(shares, FunctionScan) && !is_held(shares)) {
    return walk(join->plan.righttree);
  }
  const char* left = walk(join->plan.lefttree);
  return left != NULL ? left : held_alone(join->plan.righttree);
}

const char* walk_aggregate(const Agg* aggregate) {
  if (aggregate->aggstrategy != AGG_PLAIN && aggregate->aggstrategy != AGG_HASHED) {
    return "groups by sorting";
  }
  if (aggregate->groupingSets != NIL || aggregate->chain != NIL) return "grouping sets";
  return walk(aggregate->plan.lefttree);
}

const char* walk(const Plan* plan) {
  if (plan == NULL) return NULL;
  if (plan->initPlan != NIL) return "a subplan";
  if (is_held(plan)) return NULL;
  switch (nodeTag(plan)) {
    case T_Agg:
      return walk_aggregate((const Agg*)plan);
    case T_HashJoin:
    case T_NestLoop:
      return walk_join((const Join*)plan);
    case T_SubqueryScan:
      return walk(((const SubqueryScan*)plan)->subplan);
    case T_Append: {
      const Append* append = (const Append*)plan;
      if (prunes_as_it_runs(append)) return "partitions that are chosen as it runs";
      return walk_list(append->appendplans);
    }
    case T_Gather:
      if (((const Gather*)plan)->initParam != NULL) return "a subplan";
      return walk(plan->lefttree);
    case T_Result:
      if (((const Result*)plan)->resconstantqual != NULL && plan->lefttree != NULL) {
        return "a condition that decides whether a table is read";
      }
      return walk(plan->lefttree);
    case T_SeqScan:
      return NULL;
    default:
      return "a node that is not known";
  }
}

}  // namespace

const char* unproved_part(const PlannedStmt* plan) {
  if (reads_held_units(plan)) return unproved_in_memory(plan);
  return plan->subplans != NIL ? "a subplan" : walk(plan->planTree);
}

void refuse_unproved(const char* part) {
  refuse(
      ErrorCode::query_not_allowed, "PostgreSQL would run this query in a way that could show rows",
      psprintf("Its plan has %s, which is not on the list of what is proved to be silent.", part),
      "Simplify the query: fewer tables, or conditions of the form a = b.");
}

}  // namespace dpmix::pg
