#include "pg/query/check/outside_bounds.hpp"

#include <cmath>

extern "C" {
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
}

#include "pg/border/texts.hpp"
#include "pg/query/check/column_comparisons.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/rows/to_float8.hpp"

namespace dpmix::pg {
namespace {

// Bounds of dates and times are left to age: what came after them is asked about all the same.
bool is_number(Oid type) {
  return holds_numbers(type) && axis_unit(type) == AxisUnit::number;
}

// Whether x <op> value holds for some x of the bounds. NaN finds rows whose value is missing, or
// none.
bool is_possible(const char* op, double value, const ColumnDomain& domain) {
  if (std::isnan(value)) return true;
  if (strcmp(op, "<") == 0) return domain.lower < value;
  if (strcmp(op, "<=") == 0) return domain.lower <= value;
  if (strcmp(op, ">") == 0) return domain.upper > value;
  if (strcmp(op, ">=") == 0) return domain.upper >= value;
  return strcmp(op, "=") != 0 || (domain.lower <= value && value <= domain.upper);
}

void look(const RowScope* scope, const ColumnComparison& comparison) {
  const Var* column = comparison.column;
  const ProtectedTable* table = source_of(scope, column)->table;
  if (!comparison.any || table == NULL || !is_number(column->vartype) ||
      !is_number(comparison.type)) {
    return;
  }
  const ColumnDomain domain = domain_of(scope, column);
  const char* name = get_opname(comparison.op);
  Oid output;
  bool varlena;
  getTypeOutputInfo(comparison.type, &output, &varlena);
  for (int i = 0; i < comparison.count && domain.has_bounds; i++) {
    const Datum value = comparison.value[i];
    if (is_possible(name, value_float8(comparison.type, value), domain)) continue;
    ereport(NOTICE, (errmsg("no value within the declared bounds of column %s is %s %s",
                            column_text(scope, column), name,
                            quoted_prefix(OidOutputFunctionCall(output, value))),
                     errdetail("Its bounds are %s to %s.", float8out_internal(domain.lower),
                               float8out_internal(domain.upper)),
                     errhint("The bounds and the constant may be in different units.")));
  }
}

}  // namespace

void notice_outside_bounds(const RowScope* scope) {
  look_at_comparisons(scope, look);
}

}  // namespace dpmix::pg
