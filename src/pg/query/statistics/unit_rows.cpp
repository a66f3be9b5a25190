#include "pg/query/statistics/unit_rows.hpp"

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
#include "pg/query/statistics/group_bytes.hpp"
#include "pg/query/statistics/tuples.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/units/row_memory.hpp"

namespace dpmix::pg {
namespace {

constexpr Index kLayer = 1, kShares = 2;  // places in the sampled query's FROM

Query* rows_of_units(const Query* query, const List* unit, const List* keys, const List* more) {
  Query* rows = (Query*)copyObjectImpl(query);
  rows->targetList = rows->groupClause = NIL;
  rows->hasAggs = false;
  for (const List* columns : {unit, keys, more}) {
    const ListCell* cell;
    foreach (cell, columns) add_column(rows, (Expr*)copyObjectImpl(lfirst(cell)));
  }
  return rows;
}

// SELECT dpmix_internal.share_counted($1, share) FROM generate_series(0, shares - 1) AS share
Query* counted_shares(int shares) {
  RangeTblFunction* series = makeNode(RangeTblFunction);
  FuncExpr* call =
      castNode(FuncExpr, call_builtin(F_GENERATE_SERIES_INT4_INT4, INT4OID,
                                      list_make2(whole_number(0), whole_number(shares - 1))));
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

}  // namespace

List* unit_columns(const RowScope* scope, Expr* apart) {
  List* unit = list_make1(unit_column(scope));
  return apart == NULL ? unit : lappend(unit, apart);
}

List* keys_of(const Query* query, const List* unit, int more) {
  List* keys = NIL;
  ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->ressortgroupref != 0) keys = lappend(keys, entry->expr);
  }
  const int most = FUNC_MAX_ARGS - more - list_length(unit);
  if (list_length(keys) > most) {
    refuse(ErrorCode::query_not_allowed, "the query has too many group keys",
           psprintf("Where a privacy unit may have several rows there may be %d.", most),
           "Group by fewer columns.");
  }
  return keys;
}

UnitsToSample units_to_count(const Query* query, const RowScope* scope, const QueryGroups* groups,
                             const List* unit, const List* keys, const List* more) {
  Query* rows = rows_of_units(query, unit, keys, more);
  UnitsToSample asked = {};
  const QuerySource* source = source_of(scope, linitial_node(Var, unit));
  const Tuples pairs = tuples_of(scope, keys, true, rows_in);
  asked.units = measure_of(source, rows_in);
  asked.pairs = Max(asked.units, Min(pairs.count, asked.units * groups_met(groups)));
  asked.unit_texts = measure_of(source, public_size);
  asked.key_texts = pairs.text_bytes;
  asked.unit_columns = list_length(unit);
  asked.columns = list_length(unit) + list_length(keys);
  Oid* type = (Oid*)palloc(sizeof(Oid) * asked.columns);
  for (int i = 0; i < asked.columns; i++) {
    type[i] = exprType((const Node*)list_nth_node(TargetEntry, rows->targetList, i)->expr);
  }
  asked.type = type;
  asked.counting =
      plan_scan(rows, scope->sources->first->owner, public_tables(scope->sources), false);
  return asked;
}

Expr* whole_number(int value) {
  return (Expr*)constant(INT4OID, InvalidOid, Int32GetDatum(value));
}

List* columns_from(const Query* layer, int first, int count) {
  List* columns = NIL;
  for (int i = 0; i < count; i++) {
    columns = lappend(columns, column_of(layer, (AttrNumber)(first + i)));
  }
  return columns;
}

Expr* add_shares(Query* query, Query* layer, const SampledUnits* units) {
  const int shares = shares_of(units);
  if (shares == 1) return whole_number(0);
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

}  // namespace dpmix::pg
