#include "pg/trees/picked_rows.hpp"

#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/trees/windows.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
}

namespace dpmix::pg {
namespace {

constexpr Index kUnit = 1;  // the window of a unit's rows

// These columns of a query, as one value.
Expr* row_of(const Query* rows, int first, int last) {
  RowExpr* row = makeNode(RowExpr);
  for (int i = first; i <= last; i++) {
    const TargetEntry* entry = get_tle_by_resno(rows->targetList, (AttrNumber)i);
    row->args = lappend(row->args, copyObjectImpl(entry->expr));
    row->colnames = lappend(row->colnames, makeString(psprintf("f%d", i - first + 1)));
  }
  row->row_typeid = RECORDOID;
  row->row_format = COERCE_EXPLICIT_CALL;
  row->location = -1;
  return (Expr*)row;
}

}  // namespace

void order_by_bytes(Query* query, Index window, int first, int last) {
  Expr* hash = call_builtin(dpmix_function("row_order", {RECORDOID}), INT8OID,
                            list_make1(row_of(query, first, last)));
  Expr* bytes = row_of(query, first, last);
  order_window(query, window, hash, order_operator(INT8OID, BTLessStrategyNumber));
  order_window(query, window, bytes, byte_order_operator());
}

Expr* is_among(Expr* number, int most) {
  Expr* limit = (Expr*)constant(INT8OID, InvalidOid, Int64GetDatum(most));
  return comparison(order_operator(INT8OID, BTLessEqualStrategyNumber), number, limit);
}

void pick_rows(Query* query, const PickedRows& picked) {
  const int keys = list_length(query->groupClause);
  Expr* number = over_window(kUnit, F_ROW_NUMBER, INT8OID, NIL);
  Query* rows = read_from_rows(query, list_make2(picked.unit, number));
  rows->limitOffset = NULL;  // Citus pushes none down
  const int unit = list_length(rows->targetList) - 1;
  for (int i = unit - keys; i <= unit; i++) {
    require_value(rows, get_tle_by_resno(rows->targetList, (AttrNumber)i)->expr);
  }
  add_window(rows, kUnit, list_make1_int(unit));
  order_by_bytes(rows, kUnit, 1, unit);
  query->jointree->quals =
      (Node*)is_among((Expr*)column_of(rows, (AttrNumber)(unit + 1)), picked.most);
}

}  // namespace dpmix::pg
