#include "pg/query/statistics/unit_sampling.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
}

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/units/row_memory.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"

namespace dpmix::pg {
namespace {

constexpr Index kLayer = 1, kShares = 2;  // of the sampled query's FROM

// Arguments of a function: $1, what it is told, the unit, the keys.
constexpr int kMostOfRow = FUNC_MAX_ARGS - 2;

List* keys_of(const Query* query, const List* unit) {
  List* keys = NIL;
  ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->ressortgroupref != 0) keys = lappend(keys, entry->expr);
  }
  const int most = kMostOfRow - list_length(unit);
  if (list_length(keys) > most) {
    refuse(ErrorCode::query_not_allowed, "the query has too many group keys",
           psprintf("Where a privacy unit may have several rows there may be %d.", most),
           "Group by fewer columns.");
  }
  return keys;
}

// Of each row that WHERE admits its unit, then its keys.
Query* rows_of_units(const Query* query, const List* unit, const List* keys) {
  Query* rows = (Query*)copyObjectImpl(query);
  rows->targetList = rows->groupClause = NIL;
  rows->hasAggs = false;
  ListCell* cell;
  foreach (cell, unit) add_column(rows, (Expr*)copyObjectImpl(lfirst(cell)));
  foreach (cell, keys) add_column(rows, (Expr*)copyObjectImpl(lfirst(cell)));
  return rows;
}

UnitsToSample units_to_sample(Query* query, const RowScope* scope, const Contribution& most,
                              const List* unit, const List* unit_counts) {
  const List* keys = keys_of(query, unit);
  const bool limits_groups = most.groups < most.rows || most.rows_per_group < most.rows;
  Query* rows = rows_of_units(query, unit, keys);
  UnitsToSample asked = {};
  asked.most = most;
  asked.by_group = keys != NIL && (limits_groups || unit_counts != NIL);
  const Oid relation = source_of(scope, linitial_node(Var, unit))->relation;
  asked.rows = rows_in(relation);
  asked.size = public_size(relation);
  asked.unit_columns = list_length(unit);
  Oid* type = (Oid*)palloc(sizeof(Oid) * list_length(rows->targetList));
  ListCell* cell;
  foreach (cell, rows->targetList) {
    type[asked.columns++] = exprType((const Node*)lfirst_node(TargetEntry, cell)->expr);
  }
  asked.type = type;
  asked.counting =
      plan_scan(rows, scope->sources->first->owner, public_tables(scope->sources), false);
  return asked;
}

Expr* number(int value) {
  return (Expr*)constant(INT4OID, InvalidOid, Int32GetDatum(value));
}

// dpmix_internal.name($1, told, unit, keys)
Expr* ask(const char* name, Expr* told, const List* unit_and_keys) {
  List* arguments = list_make2(memory_parameter(), told);
  arguments = list_concat(arguments, (List*)copyObjectImpl(unit_and_keys));
  const Oid function = dpmix_function(name, {INTERNALOID, INT4OID, ANYOID});
  return (Expr*)makeFuncExpr(function, BOOLOID, arguments, InvalidOid, InvalidOid,
                             COERCE_EXPLICIT_CALL);
}

// SELECT dpmix_internal.share_counted($1, share) FROM generate_series(0, shares - 1) AS share
Query* counted_shares(int shares) {
  RangeTblFunction* series = makeNode(RangeTblFunction);
  FuncExpr* call = castNode(FuncExpr, call_builtin(F_GENERATE_SERIES_INT4_INT4, INT4OID,
                                                   list_make2(number(0), number(shares - 1))));
  call->funcretset = true;
  series->funcexpr = (Node*)call;
  series->funccolcount = 1;
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_FUNCTION;
  entry->functions = list_make1(series);
  entry->eref = makeAlias("shares", list_make1(makeString(pstrdup("share"))));
  entry->inFromCl = true;
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  Query* counted = makeNode(Query);
  counted->commandType = CMD_SELECT;
  counted->canSetTag = true;
  counted->rtable = list_make1(entry);
  counted->jointree = makeFromExpr(list_make1(reference), NULL);
  List* arguments = list_make2(memory_parameter(), makeVar(1, 1, INT4OID, -1, InvalidOid, 0));
  const Oid function = dpmix_function("share_counted", {INTERNALOID, INT4OID});
  add_column(counted, (Expr*)makeFuncExpr(function, INT4OID, arguments, InvalidOid, InvalidOid,
                                          COERCE_EXPLICIT_CALL));
  return counted;
}

// FROM the shares, one after the other, for each of which the layer, which has its number, is read
// anew.
Expr* add_shares(Query* query, Query* layer, int shares) {
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->inFromCl = true;
  become_subquery(entry, counted_shares(shares));
  query->rtable = lappend(query->rtable, entry);
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = kShares;
  query->jointree->fromlist = lcons(reference, query->jointree->fromlist);
  rt_fetch(kLayer, query->rtable)->lateral = true;
  add_column(layer, (Expr*)makeVar(kShares, 1, INT4OID, -1, InvalidOid, 1));
  rt_fetch(kLayer, query->rtable)->eref->colnames =
      lappend(rt_fetch(kLayer, query->rtable)->eref->colnames, makeString(pstrdup("share")));
  return (Expr*)column_of(layer, (AttrNumber)list_length(layer->targetList));
}

}  // namespace

SampledUnits* sample_units(Query* query, const RowScope* scope, const Contribution& most,
                           Expr* apart, const List* unit_counts) {
  List* unit = list_make1(unit_column(scope));
  if (apart != NULL) unit = lappend(unit, apart);
  SampledUnits* units = sampled_units(units_to_sample(query, scope, most, unit, unit_counts));
  const int keys = list_length(query->groupClause), parts = list_length(unit);
  Query* layer = read_from_rows(query, unit);
  const auto first = (AttrNumber)(list_length(layer->targetList) - parts + 1);
  List* unit_and_keys = NIL;
  for (int i = 0; i < parts; i++) {
    unit_and_keys = lappend(unit_and_keys, column_of(layer, (AttrNumber)(first + i)));
  }
  for (int k = keys; k > 0; k--) {
    unit_and_keys = lappend(unit_and_keys, column_of(layer, (AttrNumber)(first - k)));
  }
  const int shares = shares_of(units);
  Expr* share = shares == 1 ? number(0) : add_shares(query, layer, shares);
  query->jointree->quals = (Node*)ask("row_kept", share, unit_and_keys);
  int list = 0;
  const ListCell* cell;
  foreach (cell, unit_counts) {
    TargetEntry* entry = get_tle_by_resno(query->targetList, (AttrNumber)lfirst_int(cell));
    Aggref* count = castNode(Aggref, entry->expr);
    Expr* first = ask("unit_counted", number(list++), unit_and_keys);
    count->aggfilter = count->aggfilter == NULL ? first : case_when(count->aggfilter, first);
  }
  return units;
}

}  // namespace dpmix::pg
