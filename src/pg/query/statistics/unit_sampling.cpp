#include "pg/query/statistics/unit_sampling.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"

namespace dpmix::pg {
namespace {

// The columns of a layer, in the order of its target list: those that the aggregates read, then the
// unit and the draw, then the keys, then what the layers below counted.
struct Columns {
  List* read;  // of Var, as the query names them
  AttrNumber unit, draw;
  AttrNumber first_key;
  int keys;
};

SortGroupClause* sorted(Query* query, AttrNumber column) {
  TargetEntry* entry = get_tle_by_resno(query->targetList, column);
  return sort_clause(exprType((Node*)entry->expr), assignSortGroupRef(entry, query->targetList));
}

List* sorted_keys(Query* query, const Columns& columns, List* after) {
  for (int k = 0; k < columns.keys; k++) {
    after = lappend(after, sorted(query, (AttrNumber)(columns.first_key + k)));
  }
  return after;
}

// The default frame: from the first row of the partition to the last one that is equal in order.
Index add_window(Query* query, List* partition, List* order) {
  WindowClause* window = makeNode(WindowClause);
  window->partitionClause = partition;
  window->orderClause = order;
  window->frameOptions = FRAMEOPTION_DEFAULTS;
  window->winref = (Index)(list_length(query->windowClause) + 1);
  query->windowClause = lappend(query->windowClause, window);
  query->hasWindowFuncs = true;
  return window->winref;
}

AttrNumber add_window_function(Query* query, Index window, Oid function, bool aggregate,
                               List* arguments) {
  WindowFunc* call = makeNode(WindowFunc);
  call->winfnoid = function;
  call->wintype = INT8OID;
  call->args = arguments;
  call->winref = window;
  call->winstar = aggregate && arguments == NIL;
  call->winagg = aggregate;
  call->location = -1;
  add_column(query, (Expr*)call);
  return (AttrNumber)list_length(query->targetList);
}

// Rows up to this one, those drawn alike included: at most n of a partition have at most n, however
// they are sorted.
AttrNumber count_up_to(Query* query, List* partition, AttrNumber order) {
  const Index window = add_window(query, partition, list_make1(sorted(query, order)));
  return add_window_function(query, window, F_COUNT_, true, NIL);
}

Node* at_most(const Query* inner, AttrNumber column, int most) {
  Const* limit = constant(INT8OID, InvalidOid, Int64GetDatum(most));
  return (Node*)comparison(order_operator(INT8OID, BTLessEqualStrategyNumber),
                           (Expr*)column_of(inner, column), (Expr*)limit);
}

// Text is sorted by its bytes: equality is that of bytes, and nothing else matters.
Expr* by_bytes(Expr* value) {
  if (!OidIsValid(exprCollation((Node*)value))) return value;
  return (Expr*)makeRelabelType(value, exprType((Node*)value), exprTypmod((Node*)value),
                                C_COLLATION_OID, COERCE_IMPLICIT_CAST);
}

// The rows that WHERE admits and that belong to somebody and to a group, each with a random number.
Query* drawn_rows(const Query* query, Var* unit, Columns* columns) {
  Query* rows = (Query*)copyObjectImpl(query);
  rows->targetList = rows->groupClause = NIL;
  rows->hasAggs = false;
  require_value(rows, (Expr*)unit);
  ListCell* cell;
  foreach (cell, columns->read) add_column(rows, (Expr*)copyObjectImpl(lfirst(cell)));
  add_column(rows, by_bytes((Expr*)unit));
  columns->unit = (AttrNumber)list_length(rows->targetList);
  add_column(rows, call_dpmix("row_draw", INT8OID, NIL));
  columns->draw = (AttrNumber)list_length(rows->targetList);
  columns->first_key = columns->draw + 1;
  foreach (cell, query->groupClause) {
    TargetEntry* key =
        get_sortgroupclause_tle(lfirst_node(SortGroupClause, cell), ((Query*)query)->targetList);
    require_value(rows, key->expr);
    add_column(rows, by_bytes((Expr*)copyObjectImpl(key->expr)));
    columns->keys++;
  }
  return rows;
}

// Of each unit so many groups, the first by the least draw in them, and so many rows in each.
Query* rows_of_some_groups(Query* rows, const Columns& columns, const Contribution& most,
                           Node** condition) {
  Query* ranked = layer_over(rows, NULL);
  const AttrNumber in_group = count_up_to(
      ranked, sorted_keys(ranked, columns, list_make1(sorted(ranked, columns.unit))), columns.draw);
  const AttrNumber least =
      add_window_function(ranked, 1, F_MIN_INT8, true, list_make1(column_of(rows, columns.draw)));
  Query* kept = layer_over(ranked, at_most(ranked, in_group, most.rows_per_group));
  // Draws may be equal, so keys decide among groups.
  const Index window = add_window(kept, list_make1(sorted(kept, columns.unit)),
                                  sorted_keys(kept, columns, list_make1(sorted(kept, least))));
  const AttrNumber group = add_window_function(kept, window, F_DENSE_RANK_, false, NIL);
  *condition = at_most(kept, group, most.groups);
  return kept;
}

}  // namespace

Query* sample_units(Query* query, Var* unit, const Contribution& most) {
  Columns columns = {};
  columns.read = columns_of_aggregates(query);
  Query* rows = drawn_rows(query, unit, &columns);
  Node* condition = NULL;
  const bool limits_groups = most.groups < most.rows || most.rows_per_group < most.rows;
  if (columns.keys > 0 && limits_groups) {
    rows = rows_of_some_groups(rows, columns, most, &condition);
  }
  if (condition == NULL || (int64)most.groups * most.rows_per_group > most.rows) {
    rows = layer_over(rows, condition);
    condition = at_most(
        rows, count_up_to(rows, list_make1(sorted(rows, columns.unit)), columns.draw), most.rows);
  }
  aggregate_over(query, rows, columns.read, columns.first_key);
  read_from(query, rows, condition);
  return query;
}

}  // namespace dpmix::pg
