#include "pg/query/keys/column_values.hpp"

#include <cmath>

extern "C" {
#include "catalog/pg_type.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
}

#include "pg/query/keys/narrowing.hpp"
#include "pg/query/keys/public_rows.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/labels.hpp"
#include "pg/query/safe/numbers.hpp"

namespace dpmix::pg {
namespace {

Values categories(const Var* column, const ColumnDomain& domain) {
  return {domain.categories, category_values(domain, column)};
}

Values named_values(const RowScope* scope, const Var* column) {
  Values named = {0, NULL};
  named.count = values_named(scope->facts, column, false, &named.value);
  return named;
}

Values values_in_public(const RowScope* scope, Var* column) {
  if (!narrow_rows(scope, column)) return categories(column, categories_of(scope, column));
  Values left = {0, NULL};
  left.count = public_values_left(scope, column, &left.value);
  // If none is left, take them all: facts leave them out later, and one of them stands for none.
  return left.count > 0 ? left : categories(column, categories_of(scope, column));
}

// The public values of a column for which nothing is declared, as the text or a public table has
// them.
Values told_values(const RowScope* scope, const Var* column) {
  const Values named = named_values(scope, column);
  Var* other = named.count > 0 ? NULL : public_column(scope, (Var*)column);
  return other == NULL ? named : values_in_public(scope, other);
}

}  // namespace

bool takes_whole(Oid type, double lower, double upper) {
  if (type == INT2OID) return lower >= PG_INT16_MIN && upper <= PG_INT16_MAX;
  if (type == INT4OID || type == DATEOID) return lower >= PG_INT32_MIN && upper <= PG_INT32_MAX;
  return type == INT8OID || type == NUMERICOID || type == FLOAT4OID || type == FLOAT8OID;
}

Datum whole_number(Oid type, double number) {
  switch (type) {
    case INT2OID:
      return Int16GetDatum((int16)number);
    case INT4OID:
      return Int32GetDatum((int32)number);
    case DATEOID:
      return DateADTGetDatum((DateADT)number);
    case INT8OID:
      return Int64GetDatum((int64)number);
    case FLOAT4OID:
      return Float4GetDatum((float4)number);
    case FLOAT8OID:
      return Float8GetDatum(number);
    default:
      return DirectFunctionCall1(int8_numeric, Int64GetDatum((int64)number));
  }
}

Values whole_numbers(Oid type, double lower, double upper) {
  lower = std::ceil(lower);
  upper = std::floor(upper);
  if (!(upper - lower < kMaxGroups) || std::fabs(lower) > 0x1p52 ||
      !takes_whole(type, lower, upper)) {
    return {0, NULL};
  }
  const int count = (int)(upper - lower) + 1;
  Values values = {count, (Datum*)palloc(sizeof(Datum) * Max(count, 1))};
  for (int i = 0; i < count; i++) values.value[i] = whole_number(type, lower + i);
  return values;
}

Values declared_values(const RowScope* scope, const Var* column) {
  const ProtectedTable* table = source_of(scope, column)->table;
  const Values declared = table == NULL ? Values{} : categories(column, domain_of(scope, column));
  return declared.count > 0 ? declared : named_values(scope, column);
}

Values column_values(const RowScope* scope, const Var* column) {
  const QuerySource* source = source_of(scope, column);
  if (source->table == NULL) return values_in_public(scope, (Var*)column);
  const LayerColumn* made = layer_column(scope, column);
  if (made != NULL && made->plain != NULL && source_of(made->scope, made->plain)->table == NULL) {
    return column_values(made->scope, made->plain);
  }
  const ColumnDomain domain = domain_of(scope, column);
  if (domain.categories > 0) return categories(column, domain);
  if (column->vartype == BOOLOID) {
    Values both = {2, (Datum*)palloc(sizeof(Datum) * 2)};
    both.value[0] = BoolGetDatum(false);
    both.value[1] = BoolGetDatum(true);
    return both;
  }
  if (get_typtype(column->vartype) == TYPTYPE_ENUM) {
    const EnumLabels labels = labels_of(column->vartype);
    return {labels.count, labels.value};
  }
  const bool discrete =
      is_integer(column->vartype) || column->vartype == DATEOID || (made != NULL && made->whole);
  if (!discrete || !domain.has_bounds) return told_values(scope, column);
  const Values declared = whole_numbers(column->vartype, domain.lower, domain.upper);
  if (declared.count > 0) return declared;  // narrowed later, so that kept tables have all
  const Bounds met = bounds_met(scope->facts, column, {domain.lower, domain.upper}, false, false);
  return whole_numbers(column->vartype, met.lower, met.upper);
}

}  // namespace dpmix::pg
