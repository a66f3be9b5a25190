#include "pg/facade/bounds_looks.hpp"

#include "pg/catalog/relation.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/facade/settings.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
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
         query->rowMarks == NIL && query->jointree->quals == NULL &&
         list_length(query->jointree->fromlist) == 1 &&
         IsA(linitial(query->jointree->fromlist), RangeTblRef);
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
  if (!only_aggregates(query) || !plain_bounds_wanted()) return;
  const int from = ((const RangeTblRef*)linitial(query->jointree->fromlist))->rtindex;
  const RangeTblEntry* entry = rt_fetch(from, query->rtable);
  const Facade* facade = entry->rtekind == RTE_RELATION ? facade_of_view(entry->relid) : NULL;
  if (facade == NULL) return;
  List* bounds = NIL;
  ListCell* cell;
  foreach (cell, query->targetList) {
    bool greatest;
    const Expr* asked = lfirst_node(TargetEntry, cell)->expr;
    const Var* column = extreme_of(asked, &greatest);
    if (column == NULL || column->vartype != exprType((const Node*)asked)) return;
    Expr* bound = bound_of(facade, column, greatest);
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
