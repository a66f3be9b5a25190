#include "pg/facade/bounds_looks.hpp"

#include "pg/catalog/facade.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/facade/column_looks.hpp"
#include "pg/facade/settings.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// Nothing but a list over all rows of one relation: no condition, of which bounds say nothing.
bool only_aggregates(const Query* query) {
  return query->commandType == CMD_SELECT && query->hasAggs && query->setOperations == NULL &&
         !query->hasWindowFuncs && !query->hasTargetSRFs && !query->hasSubLinks &&
         query->cteList == NIL && query->groupClause == NIL && query->groupingSets == NIL &&
         query->havingQual == NULL && query->sortClause == NIL && query->distinctClause == NIL &&
         query->rowMarks == NIL && query->jointree->quals == NULL;
}

// The column whose extreme an expression is; NULL: it is none.
const Var* extreme_of(const Expr* expression, bool* greatest) {
  if (!IsA(expression, Aggref)) return NULL;
  const Aggref* call = (const Aggref*)expression;
  if (call->aggfnoid >= FirstUnpinnedObjectId || call->aggfilter != NULL ||
      call->aggdistinct != NIL || list_length(call->args) != 1) {
    return NULL;
  }
  const char* name = get_func_name(call->aggfnoid);
  *greatest = strcmp(name, "max") == 0;
  if (!*greatest && strcmp(name, "min") != 0) return NULL;
  Node* argument = (Node*)linitial_node(TargetEntry, call->args)->expr;
  const bool column = IsA(argument, Var) && ((const Var*)argument)->varlevelsup == 0 &&
                      ((const Var*)argument)->varattno > 0;
  return column ? (const Var*)argument : NULL;
}

bool is_of_one(const Query* query) {
  return list_length(query->jointree->fromlist) == 1 &&
         IsA(linitial(query->jointree->fromlist), RangeTblRef);
}

// The facade that a column is of, by itself or through sub-selects that only pick columns; NULL: of
// none. column becomes that of the facade.
const Facade* facade_of(const Query* query, const Var** column) {
  check_stack_depth();
  const RangeTblEntry* entry = rt_fetch((*column)->varno, query->rtable);
  if (entry->rtekind == RTE_RELATION) return facade_of_view(entry->relid);
  if (entry->rtekind != RTE_SUBQUERY) return NULL;
  const Query* inner = entry->subquery;
  if (!only_picks_columns(inner) || inner->cteList != NIL || !is_of_one(inner)) return NULL;
  const TargetEntry* target = get_tle_by_resno(inner->targetList, (*column)->varattno);
  if (target == NULL || !IsA(target->expr, Var)) return NULL;
  *column = (const Var*)target->expr;
  const bool own = (*column)->varlevelsup == 0 && (*column)->varattno > 0;
  return own ? facade_of(inner, column) : NULL;
}

Expr* bound_of(const Facade* facade, const Var* column, bool greatest) {
  const AttrNumber of = table_column(facade, column->varattno);
  if (of == InvalidAttrNumber) return NULL;
  Expr* text =
      call_dpmix("declared_bound", TEXTOID,
                 list_make3(constant(OIDOID, InvalidOid, ObjectIdGetDatum(facade->relation)),
                            constant(INT2OID, InvalidOid, Int16GetDatum(of)),
                            constant(BOOLOID, InvalidOid, BoolGetDatum(greatest))));
  CoerceViaIO* value = makeNode(CoerceViaIO);
  value->arg = text;
  value->resulttype = column->vartype;
  value->resultcollid = column->varcollid;
  value->coerceformat = COERCE_EXPLICIT_CAST;
  value->location = -1;
  return (Expr*)value;
}

}  // namespace

void show_bounds(Query* query) {
  if (!only_aggregates(query) || !is_of_one(query) || !plain_bounds_wanted()) return;
  const Facade* facade = NULL;
  List* bounds = NIL;
  ListCell* cell;
  foreach (cell, query->targetList) {
    bool greatest;
    const Expr* asked = lfirst_node(TargetEntry, cell)->expr;
    const Var* column = extreme_of(asked, &greatest);
    if (column == NULL || column->vartype != exprType((const Node*)asked)) return;
    facade = facade_of(query, &column);
    Expr* bound = facade != NULL ? bound_of(facade, column, greatest) : NULL;
    if (bound == NULL) return;
    bounds = lappend(bounds, bound);
  }
  for (int i = 0; i < list_length(bounds); i++) {
    list_nth_node(TargetEntry, query->targetList, i)->expr = (Expr*)list_nth(bounds, i);
  }
  query->hasAggs = false;
  query->jointree->fromlist = NIL;  // the facade stays in the range table, with the right to it
  ereport(NOTICE,
          (errmsg("dpmix: min and max of facade %s are the declared bounds",
                  qualified_name(facade->view)),
           errdetail("No row was read: they say nothing of the values that there are."),
           errhint("RESET dpmix.bounds_for_min_max; percentile_disc(0.01) WITHIN GROUP (ORDER BY "
                   "x) is a private answer.")));
}

}  // namespace dpmix::pg
