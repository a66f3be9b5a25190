#include "pg/catalog/column_origin.hpp"

#include "pg/border/compat.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/catalog/table_row.hpp"

extern "C" {
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

struct Level {
  Query* query;
  const Level* outer;
};

ColumnOrigin origin_of_target(const Level* level, AttrNumber column);

// A copy. No lock stays, not on what it reads either: who plans a question must not be waited for.
Query* text_of_view(Oid view) {
  Relation opened = relation_open(view, AccessShareLock);
  Query* text = (Query*)copyObjectImpl(get_view_query(opened));
  relation_close(opened, AccessShareLock);
  return text;
}

ColumnOrigin origin_in_relation(Oid relation, AttrNumber column) {
  if (get_rel_relkind(relation) == RELKIND_VIEW) {
    const Facade* facade = have_facades() ? facade_of_view(relation) : NULL;
    if (facade == NULL) return origin_of_column(relation, column);
    const AttrNumber own = table_column(facade, column);
    return own == InvalidAttrNumber ? ColumnOrigin{} : origin_in_relation(facade->relation, own);
  }
  const CatalogRow* row = find_catalog_row(relation);
  return row != NULL && row->active ? ColumnOrigin{relation, column} : ColumnOrigin{};
}

ColumnOrigin origin_in_common(const Level* level, const RangeTblEntry* entry, AttrNumber column) {
  if (entry->self_reference) return {};
  for (Index up = entry->ctelevelsup; up > 0 && level != NULL; up--) level = level->outer;
  if (level == NULL) return {};
  const ListCell* cell;
  foreach (cell, level->query->cteList) {
    const CommonTableExpr* common = lfirst_node(CommonTableExpr, cell);
    if (strcmp(common->ctename, entry->ctename) != 0) continue;
    if (common->cterecursive || !IsA(common->ctequery, Query)) return {};
    const Level inner = {(Query*)common->ctequery, level};
    return origin_of_target(&inner, column);
  }
  return {};
}

ColumnOrigin origin_of(const Level* level, Node* node) {
  check_stack_depth();
  node = flatten_join_columns(level->query, (Node*)copyObjectImpl(node));
  while (node != NULL && IsA(node, RelabelType)) node = (Node*)((RelabelType*)node)->arg;
  if (node == NULL || !IsA(node, Var)) return {};
  const Var* var = (const Var*)node;
  for (Index up = var->varlevelsup; up > 0; up--) {
    if (level->outer == NULL) return {};
    level = level->outer;
  }
  if (var->varattno <= 0) return {};
  RangeTblEntry* entry = rt_fetch(var->varno, level->query->rtable);
  if (entry->rtekind == RTE_RELATION) return origin_in_relation(entry->relid, var->varattno);
  if (entry->rtekind == RTE_CTE) return origin_in_common(level, entry, var->varattno);
  if (entry->rtekind != RTE_SUBQUERY) return {};
  const Level inner = {entry->subquery, level};
  return origin_of_target(&inner, var->varattno);
}

ColumnOrigin origin_of_target(const Level* level, AttrNumber column) {
  Query* query = level->query;
  inline_group_columns(query);
  const TargetEntry* target = get_tle_by_resno(query->targetList, column);
  if (target == NULL) return {};
  Node* value = (Node*)target->expr;
  if (query->setOperations != NULL) {
    const Node* left = query->setOperations;
    while (IsA(left, SetOperationStmt)) left = ((const SetOperationStmt*)left)->larg;
    value = (Node*)makeVar(((const RangeTblRef*)left)->rtindex, column, exprType(value),
                           exprTypmod(value), exprCollation(value), 0);
  }
  return origin_of(level, value);
}

}  // namespace

ColumnOrigin origin_of_column(Oid view, AttrNumber column) {
  const Level level = {text_of_view(view), NULL};
  return origin_of_target(&level, column);
}

ColumnOrigin only_origin_of_column(Oid view, AttrNumber column) {
  const Level level = {text_of_view(view), NULL};
  return level.query->setOperations == NULL ? origin_of_target(&level, column) : ColumnOrigin{};
}

}  // namespace dpmix::pg
