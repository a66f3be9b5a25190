#include "pg/facade/flatten.hpp"

#include "pg/border/compat.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
}

namespace dpmix::pg {
namespace {

// Why rows of a query are not simply rows of its tables; NULL: they are.
const char* obstacle(const Query* query) {
  const auto limits = [](const Node* node) {
    return node != NULL && !(IsA(node, Const) && ((const Const*)node)->constisnull);
  };
  if (query->commandType != CMD_SELECT) return "a statement other than SELECT inside of a query is";
  if (query->setOperations != NULL) return "UNION, INTERSECT or EXCEPT of private rows is";
  if (query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL ||
      query->havingQual != NULL || query->distinctClause != NIL) {
    return "a subquery in FROM is";
  }
  if (query->hasWindowFuncs) return "a window function over private rows is";
  if (query->hasTargetSRFs) return "a set-returning function over private rows is";
  if (query->hasSubLinks) return "a subquery in an expression over private rows is";
  if (limits(query->limitCount) || limits(query->limitOffset)) {
    return "LIMIT or OFFSET of private rows is";
  }
  if (query->rowMarks != NIL) return "a row lock (FOR UPDATE, FOR SHARE) of private rows is";
  return NULL;
}

bool refers_outside(Query* query) {
  return contain_vars_of_level((Node*)query, 1) || contain_vars_of_level((Node*)query, 2) ||
         contain_vars_of_level((Node*)query, 3);
}

// A copy of a WITH query, as a sub-select of the level that names it.
Query* copy_of_common(const QueryLevel* level, RangeTblEntry* entry) {
  CommonTableExpr* common = common_query(level, entry);
  Query* copy = (Query*)copyObjectImpl(common->ctequery);
  if (entry->ctelevelsup > 0) IncrementVarSublevelsUp((Node*)copy, (int)entry->ctelevelsup, 1);
  common->cterefcount--;
  return copy;
}

void become_sub_select(const QueryLevel* level, RangeTblEntry* entry) {
  if (entry->rtekind != RTE_CTE) return;
  entry->subquery = copy_of_common(level, entry);
  entry->rtekind = RTE_SUBQUERY;
  entry->ctename = NULL;
  entry->ctelevelsup = 0;
  entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
}

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
};

// Then what it has for a row that is missing is NULL, as in its table.
bool has_columns_only(const Query* query) {
  ListCell* cell;
  foreach (cell, query->targetList) {
    if (!IsA(lfirst_node(TargetEntry, cell)->expr, Var)) return false;
  }
  return query->jointree->quals == NULL;
}

// A side of a join becomes what the sub-select reads.
Node* splice_side(Node* node, const Spliced* spliced, bool optional) {
  if (IsA(node, JoinExpr)) {
    JoinExpr* join = (JoinExpr*)node;
    const bool left = join->jointype == JOIN_LEFT || join->jointype == JOIN_FULL;
    const bool right = join->jointype == JOIN_RIGHT || join->jointype == JOIN_FULL;
    join->larg = splice_side(join->larg, spliced, optional || right);
    join->rarg = splice_side(join->rarg, spliced, optional || left);
    return node;
  }
  if (!IsA(node, RangeTblRef) || ((RangeTblRef*)node)->rtindex != spliced->varno) return node;
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

void splice(Query* query, const Spliced* spliced) {
  List* from = NIL;
  ListCell* cell;
  foreach (cell, query->jointree->fromlist) {
    Node* item = (Node*)lfirst(cell);
    if (IsA(item, RangeTblRef) && ((RangeTblRef*)item)->rtindex == spliced->varno) {
      from = list_concat(from, spliced->inner->jointree->fromlist);
    } else {
      from = lappend(from, splice_side(item, spliced, false));
    }
  }
  query->jointree->fromlist = from;
  Node* filter = spliced->inner->jointree->quals;
  if (filter != NULL) query->jointree->quals = make_and_qual(query->jointree->quals, filter);
}

void pull_up(const QueryLevel* level, int varno) {
  Query* query = level->query;
  RangeTblEntry* entry = rt_fetch(varno, query->rtable);
  become_sub_select(level, entry);
  const QueryLevel inner_level = {entry->subquery, level, level->depth + 1};
  flatten_rows(&inner_level);
  Query* inner = (Query*)copyObjectImpl(entry->subquery);
  OffsetVarNodes((Node*)inner, list_length(query->rtable), 0);
  append_tables(query, inner);
  replace_columns(query, varno, entry, inner);
  const Spliced spliced = {varno, inner};
  splice(query, &spliced);
}

bool is_sub_select(const QueryLevel* level, const RangeTblEntry* entry) {
  if (facade_of_entry(entry) != NULL) return false;
  if (entry->rtekind == RTE_SUBQUERY && obstacle(entry->subquery) == NULL &&
      !refers_outside(entry->subquery)) {
    return true;
  }
  return has_private_rows(level, entry);
}

void check_sub_select(const QueryLevel* level, const RangeTblEntry* entry) {
  const Query* inner = entry->rtekind == RTE_CTE
                           ? (const Query*)common_query(level, entry)->ctequery
                           : entry->subquery;
  const char* construct = obstacle(inner);
  if (construct != NULL) {
    refuse_construct(construct,
                     "Aggregate in the innermost query, and compute with its results "
                     "above it.");
  }
  if (entry->lateral || refers_outside((Query*)inner)) {
    refuse_construct("a reference to an outer query from private rows is",
                     "Join the tables, or compare with a value.");
  }
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

void flatten_rows(const QueryLevel* level) {
  check_stack_depth();
  Query* query = level->query;
  // Columns of joins by USING, whose sides change below, become those of their tables.
  query->targetList = (List*)flatten_join_columns(query, (Node*)query->targetList);
  query->havingQual = flatten_join_columns(query, query->havingQual);
  query->jointree = (FromExpr*)flatten_join_columns(query, (Node*)query->jointree);
  List* varnos = NIL;
  collect_tables((Node*)query->jointree, &varnos);
  ListCell* cell;
  foreach (cell, varnos) {
    const RangeTblEntry* entry = rt_fetch(lfirst_int(cell), query->rtable);
    if (!is_sub_select(level, entry)) continue;
    check_sub_select(level, entry);
    pull_up(level, lfirst_int(cell));
  }
}

}  // namespace dpmix::pg
