#include "pg/query/layers/clauses.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/layers/from_items.hpp"
#include "pg/query/layers/marks.hpp"
#include "pg/query/layers/sorting.hpp"
#include "pg/query/layers/windows.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {

void check_clauses(const Query* query, LayerAs as) {
  const struct {
    bool present;
    const char *construct, *instead;
  } clauses[] = {
      {query->commandType != CMD_SELECT || query->utilityStmt != NULL,
       "a statement other than SELECT is", kOuterQuery},
      {query->hasTargetSRFs, "a set-returning function is", kOuterQuery},
      {query->rowMarks != NIL || query->hasForUpdate, "a row lock (FOR UPDATE, FOR SHARE) is",
       "Leave it out: the answer is computed from one snapshot."},
      {query->limitOffset != NULL, "OFFSET in a sub-select is", "Leave it out."},
      {query->limitCount != NULL && as == LayerAs::rows, "LIMIT in a sub-select of FROM is",
       "Which rows it leaves would hang on all people's. Number a person's rows with "
       "row_number() OVER (PARTITION BY person ORDER BY ...), and filter by that."},
      {query->groupingSets != NIL, "GROUPING SETS, ROLLUP or CUBE in a sub-select is",
       "Group once in it; ask for totals above."},
  };
  for (const auto& clause : clauses) {
    if (clause.present) refuse_construct(clause.construct, clause.instead);
  }
}

namespace {

bool finds_distinct(Node* node, void*) {
  if (node == NULL) return false;
  if (IsA(node, Aggref) && ((const Aggref*)node)->aggdistinct != NIL) return true;
  return walk_expression(node, finds_distinct, NULL);
}

bool has_distinct(const LayerQuery* level) {
  return finds_distinct((Node*)level->query->targetList, NULL) ||
         finds_distinct(level->query->havingQual, NULL);
}

// Refuses to hold more of rows that multiply than there are rows in the tables: how many there are
// of one person must not decide on memory.
void check_held(const LayerQuery* level) {
  const Query* query = level->query;
  if (!level->multiplies || level->all->on_shards) return;
  const bool grouped = query->groupClause != NIL && without_unit(level, query->groupClause) != NIL;
  const char* what = grouped                        ? "grouped"
                     : query->windowClause != NIL   ? "numbered or compared in a window"
                     : query->distinctClause != NIL ? "told apart by DISTINCT"
                     : query->limitCount != NULL    ? "sorted for LIMIT"
                     : has_distinct(level)          ? "counted by count(DISTINCT)"
                                                    : NULL;
  if (what == NULL) return;
  refuse(ErrorCode::query_not_allowed,
         psprintf("rows of a join in which each may meet several are %s", what),
         "As many would be held in memory as one person's rows make, in any number.",
         "Aggregate one side first, by person, in a sub-select of its own; or write EXISTS.");
}

List* expressions_of(const List* clauses, const Query* query) {
  List* expressions = NIL;
  const ListCell* cell;
  foreach (cell, clauses) {
    expressions = lappend(
        expressions, get_sortgroupclause_expr((SortGroupClause*)lfirst(cell), query->targetList));
  }
  return expressions;
}

constexpr const char* kByPerson =
    "Group by the column of the privacy unit, and others if you like; only then is a group one "
    "person's. What counts all people is asked outside of the sub-select.";

}  // namespace

void check_groups(const LayerQuery* level, LayerAs as) {
  check_held(level);
  const Query* query = level->query;
  const bool aggregates = query->hasAggs || query->groupClause != NIL || query->havingQual != NULL;
  bool is_private = false;
  for (int i = 0; i < level->items; i++) is_private = is_private || level->item[i].is_private;
  if (!is_private) return;
  const bool of_one_around = as != LayerAs::rows && follows_unit_around(level);
  if (aggregates && !of_one_around &&
      !determine_unit(level, expressions_of(query->groupClause, query))) {
    refuse_construct(query->groupClause == NIL
                         ? "a sub-select that aggregates the rows of all people is"
                         : "a sub-select whose groups are not of one person each is",
                     kByPerson);
  }
  if (query->limitCount != NULL && as == LayerAs::beside && !of_one_around) {
    refuse_construct("LIMIT in a sub-select of FROM that does not follow the person is",
                     "Compare its privacy unit with that of the row beside it, as in WHERE "
                     "v.person = p.person.");
  }
  if (query->distinctClause != NIL && !aggregates && !of_one_around &&
      !determine_unit(level, expressions_of(query->distinctClause, query))) {
    refuse_construct("DISTINCT over the rows of several people is",
                     "Select the column of the privacy unit, too.");
  }
  const ListCell* cell;
  foreach (cell, query->windowClause) {
    const WindowClause* window = lfirst_node(WindowClause, cell);
    if (window->winref == 0 || of_one_around) continue;
    if (determine_unit(level, expressions_of(window->partitionClause, query))) continue;
    refuse_construct("a window over the rows of several people is",
                     "Add PARTITION BY the column of the privacy unit.");
  }
}

int64 limit_of(const Query* query) {
  return DatumGetInt64(castNode(Const, query->limitCount)->constvalue);
}

bool has_one_row(const LayerQuery* level) {
  const Query* query = level->query;
  const bool groups = query->hasAggs || query->groupClause != NIL;
  const List* clauses = groups ? query->groupClause : query->distinctClause;
  const ListCell* cell;
  foreach (cell, clauses) {
    const Node* key = get_sortgroupclause_expr((SortGroupClause*)lfirst(cell), query->targetList);
    if (is_unit(level, key)) continue;
    const Var* column = bare_column(key);
    if (column == NULL || column->varlevelsup != 0) return false;
    const LayerItem* item = item_of(level, (Index)column->varno);
    // Where it may be missing, it is so beside some rows and not beside others.
    const bool same = item != NULL && item->is_private && item->one &&
                      !bms_is_member(column->varno, level->join.missing);
    if (!same) return false;
  }
  return clauses != NIL;
}

namespace {

// GROUP BY the number of the unit at work: one group, without a sort.
void group_by_unit(LayerQuery* level) {
  Query* made = level->made;
  Index reference = 1;
  const ListCell* cell;
  foreach (cell, made->targetList) {
    reference = Max(reference, lfirst_node(TargetEntry, cell)->ressortgroupref + 1);
  }
  TargetEntry* unit = makeTargetEntry((Expr*)unit_at_work(level),
                                      (AttrNumber)(list_length(made->targetList) + 1), NULL, true);
  unit->ressortgroupref = reference;
  made->targetList = lappend(made->targetList, unit);
  made->groupClause = list_make1(sort_clause(INT4OID, reference));
}

void make_groups(LayerQuery* level) {
  const Query* query = level->query;
  if (query->groupClause == NIL) return;
  const List* left = without_unit(level, query->groupClause);
  if (left == NIL) {
    group_by_unit(level);
  } else {
    level->made->groupClause = sorted_clauses(left, level->made->targetList);
  }
}

// A row that is taken is told by what is shown of it.
List* shown_values(const Query* made) {
  List* values = NIL;
  const ListCell* cell;
  foreach (cell, made->targetList) {
    const TargetEntry* target = lfirst_node(TargetEntry, cell);
    if (!target->resjunk) values = lappend(values, target->expr);
  }
  return values;
}

Node* safe_limit(const Query* query) {
  if (query->limitCount == NULL) return NULL;
  if (IsA(query->limitCount, Const) && !((const Const*)query->limitCount)->constisnull &&
      query->limitOption == LIMIT_OPTION_COUNT && limit_of(query) >= 0) {
    return (Node*)copyObjectImpl(query->limitCount);
  }
  refuse_construct("LIMIT that is no constant is", "Write LIMIT 1.");
}

}  // namespace

void make_clauses(LayerQuery* level) {
  const Query* query = level->query;
  Query* made = level->made;
  make_groups(level);
  made->distinctClause = sorted_clauses(query->distinctClause, made->targetList);
  made->limitCount = safe_limit(query);
  if (made->limitCount != NULL || made->hasDistinctOn) {
    made->sortClause = sorted_clauses(query->sortClause, made->targetList);
    made->sortClause = with_ties(made, made->sortClause, shown_values(made));
    made->limitOption = LIMIT_OPTION_COUNT;
  }
  make_windows(level);
}

}  // namespace dpmix::pg
