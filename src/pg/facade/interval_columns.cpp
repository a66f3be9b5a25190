#include "pg/facade/interval_columns.hpp"

#include "pg/facade/block.hpp"
#include "pg/facade/recognise.hpp"
#include "pg/facade/settings.hpp"
#include "pg/query/answer/operands.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parse_func.h"
#include "rewrite/rewriteManip.h"
}

namespace dpmix::pg {
namespace {

constexpr double kLevel = .95;

bool reads_facade(const QueryLevel* level);

// Rows of one, by itself or in a sub-select that chooses rows.
bool has_rows_of_facade(const QueryLevel* level, const RangeTblEntry* entry) {
  if (entry->rtekind == RTE_RELATION) return facade_of_view(entry->relid) != NULL;
  Node* inner = NULL;
  if (entry->rtekind == RTE_SUBQUERY) inner = (Node*)entry->subquery;
  const QueryLevel* there = level;
  if (entry->rtekind == RTE_CTE) {
    for (Index up = entry->ctelevelsup; up > 0; up--) there = there->outer;
    const CommonTableExpr* common = common_query(level, entry);
    if (common != NULL && !common->cterecursive) inner = common->ctequery;
  }
  if (inner == NULL || !IsA(inner, Query)) return false;
  const QueryLevel below = {(Query*)inner, there, there->depth + 1};
  return below.query->setOperations == NULL && !aggregates_rows(below.query) &&
         reads_facade(&below);
}

bool reads_facade(const QueryLevel* level) {
  if (reads_nothing(level->query)) return false;
  const ListCell* cell;
  foreach (cell, level->query->rtable) {
    if (has_rows_of_facade(level, lfirst_node(RangeTblEntry, cell))) return true;
  }
  return false;
}

bool has_interval(const Expr* expression) {
  return contain_aggs_of_level((Node*)expression, 0) &&
         operand_of(
             [](const Expr* node) -> const Operand* {
               const bool alone = IsA(node, Aggref) && ((const Aggref*)node)->agglevelsup == 0 &&
                                  TypeCategory(exprType((const Node*)node)) == TYPCATEGORY_NUMERIC;
               return alone ? answer_operand(0) : NULL;
             },
             expression) != NULL;
}

Expr* interval_end(const char* name, const Expr* answer) {
  constexpr Oid types[] = {ANYOID, FLOAT8OID};
  List* qualified = list_make2(makeString(pstrdup("dpmix")), makeString(pstrdup(name)));
  return (Expr*)makeFuncExpr(LookupFuncName(qualified, 2, types, false), FLOAT8OID,
                             list_make2(copyObjectImpl(answer), float8_constant(kLevel)),
                             InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

char* end_name(const char* column, const char* end) {
  const int room = NAMEDATALEN - 1 - (int)strlen(end);
  const int length = pg_mbcliplen(column, (int)strlen(column), room);
  return psprintf("%.*s%s", length, column, end);
}

// Columns that only sort come last.
void add_columns(Query* query) {
  List *shown = NIL, *added = NIL, *hidden = NIL;
  ListCell* cell;
  foreach (cell, query->targetList) {
    TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->resjunk) {
      hidden = lappend(hidden, entry);
      continue;
    }
    shown = lappend(shown, entry);
    if (!has_interval(entry->expr)) continue;
    added = lappend(added, makeTargetEntry(interval_end("low", entry->expr), 0,
                                           end_name(entry->resname, "_low"), false));
    added = lappend(added, makeTargetEntry(interval_end("high", entry->expr), 0,
                                           end_name(entry->resname, "_high"), false));
  }
  query->targetList = list_concat(list_concat(shown, added), hidden);
  AttrNumber number = 0;
  foreach (cell, query->targetList) lfirst_node(TargetEntry, cell)->resno = ++number;
}

bool may_widen(const Query* query) {
  return query->commandType == CMD_SELECT && query->hasAggs && query->setOperations == NULL &&
         query->distinctClause == NIL;
}

}  // namespace

void add_interval_columns(Query* query) {
  if (!may_widen(query) || !plain_intervals_wanted() || !have_facades()) return;
  const QueryLevel statement = {query, NULL, 0};
  if (reads_facade(&statement)) add_columns(query);
}

}  // namespace dpmix::pg
