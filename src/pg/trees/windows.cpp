#include "pg/trees/windows.hpp"

#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {

Expr* over_window(Index window, Oid function, Oid result, List* arguments, Expr* filter) {
  WindowFunc* made = makeNode(WindowFunc);
  made->winfnoid = function;
  made->wintype = result;
  made->args = arguments;
  made->aggfilter = filter;
  made->winref = window;
  made->winstar = function == F_COUNT_;
  made->winagg = get_func_prokind(function) == PROKIND_AGGREGATE;
  made->location = -1;
  return (Expr*)made;
}

void add_window(Query* query, Index window, const List* targets) {
  WindowClause* made = makeNode(WindowClause);
  made->winref = window;
  made->frameOptions = FRAMEOPTION_DEFAULTS;
  const ListCell* cell;
  foreach (cell, targets) {
    TargetEntry* entry = get_tle_by_resno(query->targetList, (AttrNumber)lfirst_int(cell));
    if (entry->ressortgroupref == 0) entry->ressortgroupref = (Index)entry->resno;
    made->partitionClause = lappend(
        made->partitionClause, sort_clause(exprType((Node*)entry->expr), entry->ressortgroupref));
  }
  query->windowClause = lappend(query->windowClause, made);
  query->hasWindowFuncs = true;
}

Oid byte_order_operator() {
  return OpernameGetOprid(list_make2(makeString(pstrdup("pg_catalog")), makeString(pstrdup("*<"))),
                          RECORDOID, RECORDOID);
}

void order_window(Query* query, Index window, Expr* value, Oid less) {
  bool reverse;
  const AttrNumber number = (AttrNumber)(list_length(query->targetList) + 1);
  TargetEntry* entry = makeTargetEntry(value, number, NULL, true);
  entry->ressortgroupref = (Index)number;
  query->targetList = lappend(query->targetList, entry);
  SortGroupClause* order = makeNode(SortGroupClause);
  order->tleSortGroupRef = entry->ressortgroupref;
  order->sortop = less;
  order->eqop = get_equality_op_for_ordering_op(less, &reverse);
  WindowClause* clause = list_nth_node(WindowClause, query->windowClause, (int)window - 1);
  clause->orderClause = lappend(clause->orderClause, order);
}

}  // namespace dpmix::pg
