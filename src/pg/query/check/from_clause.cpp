#include "pg/query/check/from_clause.hpp"

#include "pg/query/safe/expression.hpp"
#include "pg/trees/construct_names.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

void check_entry(const RangeTblEntry* entry) {
  if (entry->rtekind == RTE_JOIN) return;
  if (!is_table(entry)) refuse_construct(source_name(entry), kTables);
  if (!entry->inh) {
    refuse_construct("ONLY is",
                     "Leave it out: partitions and inheriting tables belong to the table.");
  }
  if (entry->tablesample != NULL) {
    refuse_construct("TABLESAMPLE is",
                     "Leave it out: sampling would change the noise that is needed.");
  }
}

void check_type(const JoinExpr* join) {
  switch (join->jointype) {
    case JOIN_INNER:
    case JOIN_LEFT:
      return;
    case JOIN_RIGHT:
      refuse_construct("a RIGHT JOIN is",
                       "Write it as a LEFT JOIN, with the protected table on the left.");
    case JOIN_FULL:
      refuse_construct("a FULL JOIN is",
                       "Write JOIN, or LEFT JOIN with the protected table on the left.");
    default:
      refuse_construct("this kind of join is", "Write JOIN or LEFT JOIN.");
  }
}

}  // namespace

Node* safe_from_part(const RowScope* scope, Node* node) {
  if (IsA(node, RangeTblRef)) return (Node*)copyObjectImpl(node);
  if (!IsA(node, JoinExpr)) refuse_construct("this kind of FROM is", kTables);
  check_type((JoinExpr*)node);
  JoinExpr* join = makeNode(JoinExpr);
  *join = *(JoinExpr*)node;
  join->larg = safe_from_part(scope, join->larg);
  join->rarg = safe_from_part(scope, join->rarg);
  join->quals = safe_condition(scope, join->quals);
  return (Node*)join;
}

List* safe_from(const RowScope* scope) {
  const Query* query = scope->query;
  if (scope->sources->count == 0) {
    if (query->rtable == NIL) refuse_construct("a query without a table is", kTables);
    refuse_construct(source_name(linitial_node(RangeTblEntry, query->rtable)), kTables);
  }
  ListCell* cell;
  if (scope->sources->source[0].layer == NULL) {
    foreach (cell, query->rtable) check_entry(lfirst_node(RangeTblEntry, cell));
  }
  if (scope->sources->first == NULL) {
    refuse_construct("a query over public tables alone is",
                     "Ask it in SQL; dpmix.query is for protected tables.");
  }
  List* from = NIL;
  foreach (cell, query->jointree->fromlist) {
    from = lappend(from, safe_from_part(scope, (Node*)lfirst(cell)));
  }
  return from;
}

}  // namespace dpmix::pg
