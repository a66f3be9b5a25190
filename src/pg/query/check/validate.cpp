#include "pg/query/check/validate.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
}

#include "pg/query/check/from_clause.hpp"
#include "pg/query/check/grouping_sets.hpp"
#include "pg/query/check/joined_rows.hpp"
#include "pg/query/check/released_columns.hpp"
#include "pg/query/read/layer.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

void check_clauses(const Query* query) {
  const struct {
    bool present;
    const char *construct, *instead;
  } clauses[] = {
      {query->commandType != CMD_SELECT || query->utilityStmt != NULL,
       "a statement other than SELECT is", kOuterQuery},
      {query->hasWindowFuncs || query->windowClause != NIL, "a window function is", kOuterQuery},
      {query->hasTargetSRFs, "a set-returning function is", kOuterQuery},
      {query->distinctClause != NIL, "DISTINCT is", "Use GROUP BY: every group comes back once."},
      {query->rowMarks != NIL || query->hasForUpdate, "a row lock (FOR UPDATE, FOR SHARE) is",
       "Leave it out: the answer is computed from one snapshot."},
  };
  for (const auto& clause : clauses) {
    if (clause.present) refuse_construct(clause.construct, clause.instead);
  }
}

bool is_key(const QueryShape* shape, const Expr* expression) {
  for (int i = 0; i < shape->keys; i++) {
    if (equal(shape->key[i].expression, expression)) return true;
  }
  return false;
}

void add_key(const RowScope* scope, QueryShape* shape, const SortGroupClause* clause,
             const TargetEntry* entry) {
  const Expr* key = entry->expr;  // made safe with its public values (public_values.hpp)
  if (IsA(key, Var)) (void)safe_value(scope, (Node*)key);  // PV002 names what is wrong with it
  const Oid type = exprType((const Node*)key), collation = exprCollation((const Node*)key);
  if (!may_be_key(type, collation)) {
    refuse_construct("GROUP BY a key of this type or collation is",
                     "Group by a number, text, boolean, date, time stamp, uuid or enum.");
  }
  if (is_key(shape, entry->expr)) return;
  QueryKey* asked = &shape->key[shape->keys++];
  *asked = {entry->expr, type, exprTypmod((const Node*)key), collation, clause};
  if (!IsA(key, Var)) return;
  if (const LayerColumn* made = layer_column(scope, (const Var*)key)) {
    asked->type = made->asked;
    asked->typmod = made->asked_typmod;
  }
}

}  // namespace

QueryShape* validate(const RowScope* scope) {
  const Query* query = scope->query;
  check_clauses(query);
  QueryShape* shape = (QueryShape*)palloc0(sizeof(QueryShape));
  shape->from = safe_from(scope);
  shape->where = safe_condition(scope, query->jointree->quals);
  shape->joined = joined_rows(scope, shape->from, shape->where);
  shape->key = (QueryKey*)palloc0(sizeof(QueryKey) * (list_length(query->groupClause) + 1));
  ListCell* cell;
  foreach (cell, query->groupClause) {
    const SortGroupClause* clause = lfirst_node(SortGroupClause, cell);
    add_key(scope, shape, clause,
            get_sortgroupclause_tle((SortGroupClause*)clause, query->targetList));
  }
  shape->sets = grouping_sets(query, shape);
  shape->released = released_columns(scope, shape);
  return shape;
}

}  // namespace dpmix::pg
