#include "pg/query/keys/coverage.hpp"

#include <limits>

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
}

#include "pg/catalog/relation.hpp"
#include "pg/query/keys/column_values.hpp"
#include "pg/query/keys/compared_places.hpp"
#include "pg/query/keys/narrowing.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/columns.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/labels.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

// The column that a value is, where NaN is none of its values; NULL: it is something else.
const Var* column_without_nan(const Expr* value) {
  const Expr* number = with_nan(value);
  if (number != NULL && IsA(number, FuncExpr)) {  // a conversion
    number = (const Expr*)linitial(((const FuncExpr*)number)->args);
  }
  if (number != NULL) return IsA(number, Var) ? (const Var*)number : NULL;
  return IsA(value, Var) && !has_nan(((const Var*)value)->vartype) ? (const Var*)value : NULL;
}

}  // namespace

bool never_missing(const RowScope* scope, const Expr* value) {
  const Var* column = column_without_nan(value);
  if (column == NULL || list_length(scope->query->rtable) != 1) return false;
  if (const LayerColumn* made = layer_column(scope, column)) {
    return !made->nullable && made->plain == NULL;
  }
  return keeps_out_nulls(source_of(scope, column)->relation, column->varattno);
}

namespace {

bool is_closed(const RowScope* scope, const Var* column) {
  if (column->vartype == BOOLOID) return true;
  const ProtectedTable* table = source_of(scope, column)->table;
  if (table == NULL) return true;
  const ColumnDomain domain = domain_of(scope, column);
  if (get_typtype(column->vartype) == TYPTYPE_ENUM) {
    return domain.categories == 0 || domain.categories == labels_of(column->vartype).count;
  }
  if (!is_integer(column->vartype) || !domain.has_bounds) return false;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Bounds met = bounds_met(scope->facts, column, {-infinity, infinity}, false, false);
  return met.lower >= domain.lower && met.upper <= domain.upper;
}

}  // namespace

bool has_no_others(const RowScope* scope, const Var* column) {
  return is_closed(scope, column) || name_public_values(scope, scope->facts, column);
}

bool name_public_values(const RowScope* scope, const List* conditions, const Var* column) {
  Datum* named;
  const int count = values_named(conditions, column, false, &named);
  if (count == 0) return false;
  const Values known = column_values(scope, column);
  int16 length;
  bool by_value;
  get_typlenbyval(column->vartype, &length, &by_value);
  for (int i = 0; i < count; i++) {
    int at = 0;
    while (at < known.count && !datum_image_eq(named[i], known.value[at], by_value, length)) at++;
    if (at == known.count) return false;
  }
  return true;
}

namespace {

// Facts leave a column in time within its declared bounds.
bool is_within_bounds(const RowScope* scope, const Var* column) {
  const ProtectedTable* table = source_of(scope, column)->table;
  if (table == NULL || !follows_clock(column->vartype)) return false;
  const ColumnDomain domain = domain_of(scope, column);
  const Places all = {least_place(column->vartype), largest_place(column->vartype)};
  const PlacesLeft left = places_met({(Index)column->varno, column->varattno, all}, scope->facts);
  if (!domain.has_bounds || !left.known || left.count == 0) return false;
  const double unit = column->vartype == DATEOID ? 1 : 1e6;  // declared in days or seconds
  return (double)left.range[0].first >= domain.lower * unit &&
         (double)left.range[left.count - 1].last <= domain.upper * unit;
}

bool has_public_values_alone(const RowScope* scope, const Var* column) {
  return has_no_others(scope, column) || is_within_bounds(scope, column);
}

}  // namespace

bool leaves_out_rows(const RowScope* scope, const KeyColumn* key) {
  if (key->takes_any) return has_nan(exprType((const Node*)key->missing));
  const bool chooses = IsA(key->expression, CaseExpr) && key->cut == NULL;
  if (!IsA(key->expression, Var) && (chooses || key->type == BOOLOID)) return false;
  const ListCell* cell;
  foreach (cell, columns_of((Node*)key->expression)) {
    if (!has_public_values_alone(scope, (const Var*)lfirst(cell))) return true;
  }
  return false;
}

Coverage coverage_of(const RowScope* scope, const KeyColumn* key) {
  if (!IsA(key->expression, Var)) return Coverage::some;
  const int values = key->type == BOOLOID                     ? 2
                     : get_typtype(key->type) == TYPTYPE_ENUM ? labels_of(key->type).count
                                                              : 0;
  if (values == 0 || key->declared < values) return Coverage::some;
  return never_missing(scope, key->expression) ? Coverage::all : Coverage::but_null;
}

}  // namespace dpmix::pg
