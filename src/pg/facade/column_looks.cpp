#include "pg/facade/column_looks.hpp"

#include "pg/catalog/relation.hpp"
#include "pg/facade/recognise.hpp"
#include "pg/facade/settings.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
}

namespace dpmix::pg {
namespace {

const Facade* looked_at(const QueryLevel* level, bool conditions);

const Facade* looked_at(const QueryLevel* level, const RangeTblEntry* entry, bool conditions) {
  if (entry->rtekind == RTE_RELATION) return facade_of_view(entry->relid);
  Node* inner = NULL;
  const QueryLevel* there = level;
  if (entry->rtekind == RTE_SUBQUERY) inner = (Node*)entry->subquery;
  if (entry->rtekind == RTE_CTE && !entry->self_reference) {
    for (Index up = entry->ctelevelsup; up > 0; up--) there = there->outer;
    const CommonTableExpr* common = common_query(level, entry);
    if (common != NULL) inner = common->ctequery;
  }
  if (inner == NULL || !IsA(inner, Query)) return NULL;
  const QueryLevel below = {(Query*)inner, there, there->depth + 1};
  return looked_at(&below, conditions);
}

bool only_lists_columns(const Query* query) {
  return query->commandType == CMD_SELECT && query->setOperations == NULL &&
         !aggregates_rows(query) && !query->hasWindowFuncs && !query->hasTargetSRFs &&
         !query->hasSubLinks && !query->hasModifyingCTE && !query->hasRecursive &&
         query->rowMarks == NIL;
}

// The one facade whose columns a query picks; NULL: there is none, or it does more. conditions:
// that rows are chosen is not more.
const Facade* looked_at(const QueryLevel* level, bool conditions) {
  check_stack_depth();
  const Query* query = level->query;
  if (!(conditions ? only_lists_columns(query) : only_picks_columns(query)) ||
      list_length(query->jointree->fromlist) != 1)
    return NULL;
  const Node* from = (const Node*)linitial(query->jointree->fromlist);
  if (!IsA(from, RangeTblRef)) return NULL;
  // A constant for each row tells how many there are.
  if (!contain_vars_of_level((Node*)query->targetList, 0)) return NULL;
  return looked_at(level, rt_fetch(((const RangeTblRef*)from)->rtindex, query->rtable), conditions);
}

}  // namespace

bool only_picks_columns(const Query* query) {
  return only_lists_columns(query) && query->jointree->quals == NULL;
}

void empty_look(Query* query) {
  const QueryLevel statement = {query, NULL, 0};
  const Facade* facade = have_facades() ? looked_at(&statement, plain_no_rows_wanted()) : NULL;
  if (facade == NULL || !facade->rows_empty || reads_nothing(query)) return;
  query->jointree->quals = makeBoolConst(false, false);
  const char* name = qualified_name(facade->view);
  ereport(
      NOTICE,
      (errmsg("dpmix: facade %s gives its columns, and no rows", name),
       errdetail("Rows of a protected table are never shown: that none come says nothing of it."),
       errhint("Ask for aggregates, with or without GROUP BY: SELECT count(*) FROM %s.", name)));
}

}  // namespace dpmix::pg
