#include "pg/query/statistics/shard_weights.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
}

#include "pg/query/statistics/unit_rows.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/trees/windows.hpp"

namespace dpmix::pg {
namespace {

Expr* whole(int64 value) {
  return (Expr*)constant(INT8OID, InvalidOid, Int64GetDatum(value));
}

Expr* truth(bool value) {
  return (Expr*)constant(BOOLOID, InvalidOid, BoolGetDatum(value));
}

Expr* copy(Expr* value) {
  return (Expr*)copyObjectImpl(value);
}

Expr* weight_of(const NormBound& bound, Expr* rows, Expr* norm, int bits) {
  List* arguments =
      list_make5(rows, norm, whole(bound.most), whole(bound.by_rows ? bound.rows : bound.squares),
                 truth(bound.by_rows));
  return call_builtin(
      dpmix_function("norm_weight", {INT8OID, INT8OID, INT8OID, INT8OID, BOOLOID, INT4OID}),
      INT4OID, lappend(arguments, whole_number(bits)));
}

}  // namespace

Expr* RowsBetween::more(int place) const {
  return (Expr*)column_of(query, (AttrNumber)(first + place));
}

RowsBetween put_between(Query* query, List* more) {
  const int keys = list_length(query->groupClause), count = list_length(more);
  Query* made = read_from_rows(query, more);
  made->limitOffset = NULL;  // Citus pushes none down
  return {made, list_length(made->targetList) - count + 1, keys};
}

Expr* is_first(Expr* row_number) {
  return comparison(order_operator(INT8OID, BTEqualStrategyNumber), row_number, whole(1));
}

Expr* numbered(Index window) {
  return over_window(window, F_ROW_NUMBER, INT8OID, NIL);
}

Expr* both_of(Expr* one, Expr* other) {
  return (Expr*)makeBoolExpr(AND_EXPR, list_make2(one, other), -1);
}

Expr* UnitRows::norm() const {
  Expr* most = whole(bound.pairs ? 1 : bound.most);
  if (keys == 0) {
    return call_builtin(dpmix_function("norm_add", {INT8OID, INT8OID, INT8OID, BOOLOID}), INT8OID,
                        list_make4(whole(0), copy(rows), most, truth(bound.by_rows)));
  }
  return over_window(kUnitWindow, dpmix_function("norm_sum", {INT8OID, INT8OID, BOOLOID}), INT8OID,
                     list_make3(copy(rows), most, truth(bound.by_rows)), copy(first));
}

Expr* UnitRows::weight(int bits) const {
  return weight_at(norm(), bits);
}

Expr* UnitRows::weight_at(Expr* norm, int bits) const {
  return weight_of(bound, copy(rows), norm, bits);
}

Expr* UnitRows::least_weight(int bits) const {
  const bool cut = keys > 0 && bound.most > 0;
  Expr* widest =
      cut ? over_window(kUnitWindow, F_MAX_INT8, INT8OID, list_make1(copy(rows))) : copy(rows);
  return weight_of(bound, widest, norm(), bits);
}

Expr* UnitRows::is_weighed_down(int bits) const {
  Expr* less = is_below_one(least_weight(bits), bits);
  Expr* once = keys > 0 ? is_first(numbered(kUnitWindow)) : copy(first);
  return once == NULL ? less : both_of(once, less);
}

Expr* is_below_one(Expr* weight, int bits) {
  return comparison(order_operator(INT4OID, BTLessStrategyNumber), weight, whole_number(1 << bits));
}

void count_rows_where(Query* query, Expr* condition) {
  Aggref* rows = aggregate_call(F_COUNT_, INT8OID, NIL);
  rows->aggfilter = condition;
  add_column(query, (Expr*)rows);
}

}  // namespace dpmix::pg
