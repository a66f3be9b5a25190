#include "pg/facade/hidden_cells.hpp"

#include "pg/facade/error_bars.hpp"
#include "pg/facade/unions.hpp"
#include "pg/facade/whole_rows.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
}

namespace dpmix::pg {
namespace {

// A query that hands on rows of one below it as they are: a column more changes none of them. Of
// rows that DISTINCT takes for equal it is that of the one that stays.
bool hands_on_rows(const Query* query) {
  return query->commandType == CMD_SELECT && query->setOperations == NULL &&
         query->groupClause == NIL && query->groupingSets == NIL && !query->hasAggs &&
         query->havingQual == NULL;
}

// Adds a column before those that only sort; returns its number.
AttrNumber add_column(Query* query, Expr* value, const char* name, bool junk) {
  int place = 0;
  ListCell* cell;
  foreach (cell, query->targetList) place += junk || !lfirst_node(TargetEntry, cell)->resjunk;
  query->targetList =
      list_insert_nth(query->targetList, place,
                      makeTargetEntry(value, (AttrNumber)(place + 1), pstrdup(name), junk));
  AttrNumber number = 0;
  foreach (cell, query->targetList) lfirst_node(TargetEntry, cell)->resno = ++number;
  return (AttrNumber)(place + 1);
}

struct Level {
  Query* query;
  const Level* outer;
  const StatementAnswers* answers;
};

constexpr const char* kWidth = "width";

AttrNumber width_of(const Level* level, const Var* column);

Var* width_beside(const Var* cell, AttrNumber width) {
  return column_beside(cell, width, FLOAT8OID, -1, InvalidOid);
}

void name_width(RangeTblEntry* entry) {
  entry->eref->colnames = lappend(entry->eref->colnames, makeString(pstrdup(kWidth)));
}

AttrNumber width_below(const Level* level, Query* query, AttrNumber column);

// A column more in each part: of parts whose column is no cell it is NULL. 0: it is a cell in none.
AttrNumber width_of_union(const Level* level, Query* query, AttrNumber column) {
  const List* parts = parts_of_union(query);
  const Level here = {query, level, level->answers};
  List* widths = NIL;
  AttrNumber width = 0;
  const ListCell *cell, *found;
  foreach (cell, parts) {
    RangeTblEntry* part = (RangeTblEntry*)lfirst(cell);
    if (part->subquery->setOperations != NULL) return 0;
  }
  foreach (cell, parts) {
    const AttrNumber made = width_below(&here, ((RangeTblEntry*)lfirst(cell))->subquery, column);
    widths = lappend_int(widths, made);
    if (made != 0) width = made;
  }
  if (width == 0) return 0;
  forboth(cell, parts, found, widths) {
    RangeTblEntry* part = (RangeTblEntry*)lfirst(cell);
    name_width(part);
    if (lfirst_int(found) != 0) continue;
    (void)add_column(part->subquery, (Expr*)makeNullConst(FLOAT8OID, -1, InvalidOid), kWidth,
                     false);
  }
  const Var* like = (const Var*)linitial_node(TargetEntry, query->targetList)->expr;
  add_union_column(query, FLOAT8OID);
  return add_column(query, (Expr*)width_beside(like, width), kWidth, false);
}

// Adds the width of a sub-select's column as a further column of it; 0: it is no cell.
AttrNumber width_below(const Level* level, Query* query, AttrNumber column) {
  if (is_union(query, UnionKind::all)) return width_of_union(level, query, column);
  if (is_union(query, UnionKind::distinct)) select_over_union(query);
  if (!hands_on_rows(query)) return 0;
  const TargetEntry* entry = get_tle_by_resno(query->targetList, column);
  if (entry == NULL || !IsA(entry->expr, Var)) return 0;
  const Level inner = {query, level, level->answers};
  const AttrNumber width = width_of(&inner, (Var*)entry->expr);
  if (width == 0) return 0;
  return add_column(query, (Expr*)width_beside((Var*)entry->expr, width), kWidth, false);
}

const Level* level_up(const Level* level, Index up) {
  for (; up > 0 && level != NULL; up--) level = level->outer;
  return level;
}

// The width of an answer's column; 0: it is a key.
AttrNumber width_of_answer(int keys, AttrNumber column) {
  const int place = column - keys - 1;
  return place >= 0 && place % 2 == 0 ? (AttrNumber)(column + 1) : 0;
}

// A column of an answer, or of a WITH query that hands its rows on.
AttrNumber width_of_common(const Level* level, RangeTblEntry* entry, AttrNumber column) {
  const Level* there = level_up(level, entry->ctelevelsup);
  ListCell* cell;
  foreach (cell, there != NULL ? there->query->cteList : NIL) {
    CommonTableExpr* common = lfirst_node(CommonTableExpr, cell);
    if (strcmp(common->ctename, entry->ctename) != 0) continue;
    const int keys = key_columns_of_answer(level->answers, common);
    if (keys >= 0) return width_of_answer(keys, column);
    if (common->cterecursive || !IsA(common->ctequery, Query)) return 0;
    const AttrNumber width = width_below(there, (Query*)common->ctequery, column);
    if (width == 0) return 0;
    // Behind all columns that it has: entries that read it know these by their numbers.
    common->ctecolnames = lappend(common->ctecolnames, makeString(pstrdup(kWidth)));
    common->ctecoltypes = lappend_oid(common->ctecoltypes, FLOAT8OID);
    common->ctecoltypmods = lappend_int(common->ctecoltypmods, -1);
    common->ctecolcollations = lappend_oid(common->ctecolcollations, InvalidOid);
    entry->coltypes = list_copy(common->ctecoltypes);
    entry->coltypmods = list_copy(common->ctecoltypmods);
    entry->colcollations = list_copy(common->ctecolcollations);
    entry->eref->colnames = list_copy(common->ctecolnames);
    return width;
  }
  return 0;
}

AttrNumber width_of(const Level* level, const Var* column) {
  if (column->varlevelsup > 0 || column->varattno <= 0) return 0;
  RangeTblEntry* entry = rt_fetch(column->varno, level->query->rtable);
  if (entry->rtekind == RTE_CTE) return width_of_common(level, entry, column->varattno);
  if (entry->rtekind != RTE_SUBQUERY || entry->lateral || entry->security_barrier) return 0;
  const AttrNumber width = width_below(level, entry->subquery, column->varattno);
  if (width != 0) name_width(entry);
  return width;
}

// A cell, or a row that has some, as it is shown; NULL: it is neither.
Expr* hidden(const Level* level, const Expr* value) {
  if (IsA(value, RowExpr)) {
    RowExpr* row = (RowExpr*)copyObjectImpl(value);
    bool any = false;
    ListCell* cell;
    foreach (cell, row->args) {
      Expr* part = hidden(level, (const Expr*)lfirst(cell));
      if (part == NULL) continue;
      lfirst(cell) = part;
      any = true;
    }
    return any ? (Expr*)row : NULL;
  }
  if (!IsA(value, Var)) return NULL;
  const AttrNumber width = width_of(level, (const Var*)value);
  if (width == 0) return NULL;
  return unless_uncertain((Expr*)copyObjectImpl(value), width_beside((const Var*)value, width));
}

// ORDER BY and DISTINCT go by the numbers, in a column that is not returned.
void hide(const Level* level, TargetEntry* entry) {
  Expr* cell = entry->expr;
  Expr* shown = hidden(level, cell);
  if (shown == NULL) return;
  const Index reference = entry->ressortgroupref;
  entry->expr = shown;
  entry->ressortgroupref = 0;
  if (reference == 0) return;
  const AttrNumber sorted = add_column(level->query, cell, "sorted", true);
  get_tle_by_resno(level->query->targetList, sorted)->ressortgroupref = reference;
}

// NULL: the statement's cells can be hidden.
const char* obstacle(Query* statement) {
  if (statement->commandType != CMD_SELECT) return "it writes what it reads to a table";
  const bool compares = statement->setOperations != NULL && !is_union(statement, UnionKind::all) &&
                        !is_union(statement, UnionKind::distinct);
  if (compares) return "it is an INTERSECT or EXCEPT, or mixes UNION with UNION ALL";
  if (!spell_whole_rows(statement)) return "it names a whole row beside an outer join";
  return NULL;
}

}  // namespace

void hide_uncertain_cells(StatementAnswers* answers) {
  Query* statement = answers->statement;
  answers->all_shown = obstacle(statement);
  if (answers->all_shown != NULL) return;
  if (statement->setOperations != NULL) select_over_union(statement);
  const Level level = {statement, NULL, answers};
  const List* entries = list_copy(statement->targetList);
  const ListCell* cell;
  foreach (cell, entries) {
    TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (!entry->resjunk) hide(&level, entry);
  }
}

}  // namespace dpmix::pg
