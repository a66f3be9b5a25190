#include "pg/facade/flatten.hpp"

#include "pg/border/compat.hpp"
#include "pg/facade/answer_names.hpp"
#include "pg/facade/constant_rows.hpp"
#include "pg/facade/constant_subselects.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
}

namespace dpmix::pg {
bool has_more_than_rows(const Query* query) {
  const auto limits = [](const Node* node) {
    return node != NULL && !(IsA(node, Const) && ((const Const*)node)->constisnull);
  };
  return query->commandType != CMD_SELECT || query->setOperations != NULL || query->hasAggs ||
         query->groupClause != NIL || query->groupingSets != NIL || query->havingQual != NULL ||
         query->distinctClause != NIL || query->hasWindowFuncs || query->hasTargetSRFs ||
         has_correlated_subselects(query) || limits(query->limitCount) ||
         limits(query->limitOffset) || query->rowMarks != NIL;
}

const char* obstacle_to_layer(const Query* query) {
  if (query->commandType != CMD_SELECT) return "a statement other than SELECT inside of a query is";
  if (query->hasTargetSRFs) return "a set-returning function over private rows is";
  if (query->rowMarks != NIL) return "a row lock (FOR UPDATE, FOR SHARE) of private rows is";
  return NULL;
}

namespace {

void replace_columns(Query* query, int varno, RangeTblEntry* entry, Query* inner) {
  const auto inlined = [&](void* node) {
    return inline_columns((Node*)node, varno, entry, inner, &query->hasSubLinks);
  };
  query->targetList = (List*)inlined(query->targetList);
  query->havingQual = inlined(query->havingQual);
  query->jointree = (FromExpr*)inlined(query->jointree);
}

struct Spliced {
  int varno;
  Query* inner;
  Node** conditions;  // those of joins that are none any more
};

// Then what it has for a row that is missing is NULL, as in its table.
bool has_columns_only(const Query* query) {
  ListCell* cell;
  foreach (cell, query->targetList) {
    if (!IsA(lfirst_node(TargetEntry, cell)->expr, Var)) return false;
  }
  return query->jointree->quals == NULL;
}

Node* splice_side(Node* node, const Spliced* spliced, bool optional);

// A side that was a row of constants leaves the other one, and the condition of the join. Of outer
// joins that is another table.
Node* splice_join(JoinExpr* join, const Spliced* spliced, bool optional) {
  const bool left = join->jointype == JOIN_LEFT || join->jointype == JOIN_FULL;
  const bool right = join->jointype == JOIN_RIGHT || join->jointype == JOIN_FULL;
  join->larg = splice_side(join->larg, spliced, optional || right);
  join->rarg = splice_side(join->rarg, spliced, optional || left);
  if (join->larg != NULL && join->rarg != NULL) return (Node*)join;
  if (optional || join->jointype != JOIN_INNER) {
    refuse_construct("a subquery without tables as a side of an outer join is",
                     "Write its values where they are used, or list it in FROM after a comma.");
  }
  *spliced->conditions = make_and_qual(*spliced->conditions, join->quals);
  return join->larg != NULL ? join->larg : join->rarg;
}

// A side of a join becomes what the sub-select reads; NULL: no table.
Node* splice_side(Node* node, const Spliced* spliced, bool optional) {
  if (IsA(node, JoinExpr)) return splice_join((JoinExpr*)node, spliced, optional);
  if (!IsA(node, RangeTblRef) || ((RangeTblRef*)node)->rtindex != spliced->varno) return node;
  if (!optional && spliced->inner->jointree->fromlist == NIL) return NULL;
  if (optional && !has_columns_only(spliced->inner)) {
    refuse_construct("a subquery on the side of an outer join that may be missing is",
                     "Join the tables themselves, with the protected table on the left.");
  }
  if (list_length(spliced->inner->jointree->fromlist) != 1) {
    refuse_construct("a subquery over several tables as a side of a join is",
                     "Write its joins with JOIN ... ON.");
  }
  return (Node*)linitial(spliced->inner->jointree->fromlist);
}

void splice(Query* query, int varno, Query* inner) {
  Node* conditions = NULL;
  const Spliced spliced = {varno, inner, &conditions};
  List* from = NIL;
  ListCell* cell;
  foreach (cell, query->jointree->fromlist) {
    Node* item = (Node*)lfirst(cell);
    if (IsA(item, RangeTblRef) && ((RangeTblRef*)item)->rtindex == varno) {
      from = list_concat(from, inner->jointree->fromlist);
    } else {
      from = lappend(from, splice_side(item, &spliced, false));
    }
  }
  query->jointree->fromlist = from;
  Node** quals = &query->jointree->quals;
  for (Node* filter : {inner->jointree->quals, conditions}) {
    if (filter != NULL) *quals = make_and_qual(*quals, filter);
  }
}

void pull_up(const QueryLevel* level, int varno) {
  Query* query = level->query;
  RangeTblEntry* entry = rt_fetch(varno, query->rtable);
  if (entry->rtekind == RTE_CTE) become_copy_of(common_query(level, entry), entry);
  const QueryLevel inner_level = {entry->subquery, level, level->depth + 1};
  flatten_rows(&inner_level);
  Query* inner = (Query*)copyObjectImpl(entry->subquery);
  OffsetVarNodes((Node*)inner, list_length(query->rtable), 0);
  append_tables(query, inner);
  replace_columns(query, varno, entry, inner);
  splice(query, varno, inner);
}

// Then it is no rows of tables.
bool reads_answer(const Query* query) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    if (names_answer(lfirst_node(RangeTblEntry, cell))) return true;
  }
  return false;
}

// NULL: none, or one that is read again and again (RECURSIVE).
Query* query_of(const QueryLevel* level, const RangeTblEntry* entry) {
  if (entry->rtekind == RTE_SUBQUERY) return entry->subquery;
  if (entry->rtekind != RTE_CTE || entry->self_reference) return NULL;
  const CommonTableExpr* common = common_query(level, entry);
  const bool plain = common != NULL && !common->cterecursive && IsA(common->ctequery, Query) &&
                     !names_answer(entry);
  return plain ? (Query*)common->ctequery : NULL;
}

bool is_sub_select(const QueryLevel* level, const RangeTblEntry* entry) {
  if (facade_of_entry(entry) != NULL) return false;
  Query* inner = query_of(level, entry);
  if (inner != NULL && !has_more_than_rows(inner) && !refers_outside(inner) &&
      !reads_answer(inner)) {
    return true;
  }
  return has_private_rows(level, entry);
}

void check_sub_select(const QueryLevel* level, const RangeTblEntry* entry) {
  const Query* inner = query_of(level, entry);
  if (const char* construct = obstacle_to_layer(inner)) {
    refuse_construct(construct,
                     "Aggregate in the innermost query, and compute with its results "
                     "above it.");
  }
  if (has_more_than_rows(inner)) elog(ERROR, "rows of a layer were to be flattened");
}

void collect_tables(const Node* node, List** varnos) {
  if (node == NULL) return;
  if (IsA(node, RangeTblRef)) {
    *varnos = lappend_int(*varnos, ((const RangeTblRef*)node)->rtindex);
  } else if (IsA(node, JoinExpr)) {
    collect_tables(((const JoinExpr*)node)->larg, varnos);
    collect_tables(((const JoinExpr*)node)->rarg, varnos);
  } else if (IsA(node, FromExpr)) {
    ListCell* cell;
    foreach (cell, ((const FromExpr*)node)->fromlist) {
      collect_tables((const Node*)lfirst(cell), varnos);
    }
  }
}

}  // namespace

void flatten_columns(Query* query) {
  query->targetList = (List*)flatten_join_columns(query, (Node*)query->targetList);
  query->havingQual = flatten_join_columns(query, query->havingQual);
  query->jointree = (FromExpr*)flatten_join_columns(query, (Node*)query->jointree);
}

void flatten_rows(const QueryLevel* level) {
  check_stack_depth();
  settle_subselects(level);
  Query* query = level->query;
  flatten_columns(query);  // the sides change below
  List* varnos = NIL;
  collect_tables((Node*)query->jointree, &varnos);
  ListCell* cell;
  foreach (cell, varnos) {
    const RangeTblEntry* entry = rt_fetch(lfirst_int(cell), query->rtable);
    if (!is_sub_select(level, entry)) continue;
    check_sub_select(level, entry);
    pull_up(level, lfirst_int(cell));
  }
  if (list_length(varnos) > 1) inline_constant_rows(query);
}

}  // namespace dpmix::pg
