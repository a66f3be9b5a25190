#include "pg/facade/recognise.hpp"

#include "pg/border/compat.hpp"

extern "C" {
#include "optimizer/optimizer.h"
}

namespace dpmix::pg {

const Facade* facade_of_entry(const RangeTblEntry* entry) {
  const Oid view = expanded_view(entry);
  return OidIsValid(view) ? facade_of_view(view) : NULL;
}

CommonTableExpr* common_query(const QueryLevel* level, const RangeTblEntry* entry) {
  for (Index up = entry->ctelevelsup; up > 0 && level != NULL; up--) level = level->outer;
  if (level == NULL) return NULL;
  ListCell* cell;
  foreach (cell, level->query->cteList) {
    CommonTableExpr* common = lfirst_node(CommonTableExpr, cell);
    if (strcmp(common->ctename, entry->ctename) == 0) return common;
  }
  return NULL;
}

void become_copy_of(const CommonTableExpr* common, RangeTblEntry* entry) {
  Query* copy = (Query*)copyObjectImpl(common->ctequery);
  if (entry->ctelevelsup > 0) IncrementVarSublevelsUp((Node*)copy, (int)entry->ctelevelsup, 1);
  entry->subquery = copy;
  entry->rtekind = RTE_SUBQUERY;
  entry->ctename = NULL;
  entry->ctelevelsup = 0;
  entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
}

bool refers_outside(const Query* query) {
  constexpr int kLevels = 8;  // as far out as statements go
  for (int level = 1; level <= kLevels; level++) {
    if (contain_vars_of_level((Node*)query, level)) return true;
  }
  return false;
}

bool has_private_rows(const QueryLevel* level, const RangeTblEntry* entry) {
  check_stack_depth();
  if (entry->rtekind == RTE_CTE && !entry->self_reference) {
    CommonTableExpr* common = common_query(level, entry);
    if (common == NULL || common->cterecursive || !IsA(common->ctequery, Query)) return false;
    for (Index up = entry->ctelevelsup; up > 0; up--) level = level->outer;
    const QueryLevel inner = {(Query*)common->ctequery, level, level->depth + 1};
    return has_private_rows(&inner);
  }
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery == NULL) return false;
  if (facade_of_entry(entry) != NULL) return true;
  const QueryLevel inner = {entry->subquery, level, level->depth + 1};
  return has_private_rows(&inner);
}

bool has_private_rows(const QueryLevel* level) {
  if (reads_nothing(level->query)) return false;
  ListCell* cell;
  foreach (cell, level->query->rtable) {
    if (has_private_rows(level, lfirst_node(RangeTblEntry, cell))) return true;
  }
  return false;
}

bool aggregates_rows(const Query* query) {
  return query->commandType == CMD_SELECT && query->setOperations == NULL &&
         (query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL ||
          query->havingQual != NULL || query->distinctClause != NIL);
}

bool reads_nothing(const Query* query) {
  const auto constant = [](Node* node) -> const Const* {
    if (node == NULL) return NULL;
    Node* made = eval_const_expressions(NULL, (Node*)copyObjectImpl(node));
    return IsA(made, Const) ? (const Const*)made : NULL;
  };
  const Const* limit = constant(query->limitCount);
  if (limit != NULL && !limit->constisnull && DatumGetInt64(limit->constvalue) == 0) return true;
  const Const* filter = query->jointree != NULL ? constant(query->jointree->quals) : NULL;
  return filter != NULL && (filter->constisnull || !DatumGetBool(filter->constvalue));
}

}  // namespace dpmix::pg
