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

// The first so many columns of a query, as one value.
Expr* row_of(const Query* rows, int columns) {
  RowExpr* row = makeNode(RowExpr);
  for (int i = 1; i <= columns; i++) {
    const TargetEntry* entry = get_tle_by_resno(rows->targetList, (AttrNumber)i);
    row->args = lappend(row->args, copyObjectImpl(entry->expr));
    row->colnames = lappend(row->colnames, makeString(psprintf("f%d", i)));
  }
  row->row_typeid = RECORDOID;
  row->row_format = COERCE_EXPLICIT_CALL;
  row->location = -1;
  return (Expr*)row;
}

}  // namespace

void pick_rows(Query* query, const PickedRows& picked) {
  Expr* number = over_window(kUnit, F_ROW_NUMBER, INT8OID, NIL);
  Query* rows = read_from_rows(query, list_make2(picked.unit, number));
  rows->limitOffset = NULL;  // Citus pushes none down
  const int unit = list_length(rows->targetList) - 1;
  require_value(rows, (Expr*)picked.unit);
  add_window(rows, kUnit, list_make1_int(unit));
  Expr* hash = call_builtin(dpmix_function("row_order", {RECORDOID}), INT8OID,
                            list_make1(row_of(rows, unit)));
  Expr* bytes = row_of(rows, unit);
  order_window(rows, kUnit, hash, order_operator(INT8OID, BTLessStrategyNumber));
  order_window(rows, kUnit, bytes, byte_order_operator());
  Expr* most = (Expr*)constant(INT8OID, InvalidOid, Int64GetDatum(picked.most));
  query->jointree->quals = (Node*)comparison(order_operator(INT8OID, BTLessEqualStrategyNumber),
                                             (Expr*)column_of(rows, (AttrNumber)(unit + 1)), most);
}

}  // namespace dpmix::pg
