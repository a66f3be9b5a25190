#include "pg/query/layers/summed.hpp"

#include <cmath>

#include "pg/border/guard.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
}

namespace dpmix::pg {
namespace {

constexpr double kWidest = 1e100;  // bounds whose squares of a million values are still numbers

// A column that is float8 in the text: its sums are rounded in any SQL, and those of decimals not.
bool is_float(const LayerQuery* level, const Node* argument) {
  const Var* column = bare_column(argument);
  if (column == NULL || column->varlevelsup > 0 || column->vartype != FLOAT8OID) return false;
  const LayerColumn* below = layer_column(level, column);
  return below == NULL || below->asked == FLOAT8OID;
}

// A power of two of which bounds are fewer than 2^62, so that values are told by whole numbers of
// it, whose sums are many times as fast as those of numeric. 0: of such bounds it would be coarse,
// or too small for its inverse.
double unit_of_floats(const SafeNumber& number) {
  constexpr int kBits = 62, kLeast = -500, kMost = -32;
  const double most = std::fmax(std::fabs(number.lower), std::fabs(number.upper));
  const int exponent = most > 0 ? std::ilogb(most) + 1 - kBits : kLeast;
  return exponent >= kLeast && exponent <= kMost ? std::ldexp(1, exponent) : 0;
}

Expr* times(Expr* number, double factor) {
  return call_dpmix("total_multiply", FLOAT8OID, list_make2(number, float8_constant(factor)));
}

}  // namespace

SummedArgument summed_argument(const LayerQuery* level, Node* argument, const char* name,
                               bool sums) {
  const SafeNumber number = safe_number(level, argument, name);
  if (!(std::fabs(number.lower) <= kWidest && std::fabs(number.upper) <= kWidest)) {
    refuse(ErrorCode::domain_missing,
           psprintf("the bounds of the argument of %s are too wide", name),
           "Within a person's rows they are at most 1e100.",
           "Put it between bounds: least(greatest(x, lower), upper).");
  }
  Expr* value = call_dpmix(
      "total_clamp", FLOAT8OID,
      list_make3(number.value, float8_constant(number.lower), float8_constant(number.upper)));
  constexpr double kExact = 0x1p53;
  const bool whole =
      number.integral && std::fabs(number.lower) <= kExact && std::fabs(number.upper) <= kExact;
  double unit = !whole && sums && is_float(level, argument) ? unit_of_floats(number) : 0;
  const bool floats = unit > 0;
  if (!floats) unit = 1;
  Expr* counted = floats ? times(value, 1 / unit) : value;
  Expr* exact = whole || floats ? call_builtin(F_INT8_FLOAT8, INT8OID, list_make1(counted))
                                : call_builtin(F_NUMERIC_FLOAT8, NUMERICOID, list_make1(value));
  return {value, exact, whole || floats, unit, {number.lower, number.upper, number.integral}};
}

Expr* without_nan(const Expr* filter, Expr* value) {
  Expr* nan = (Expr*)constant(FLOAT8OID, InvalidOid, nan_of(FLOAT8OID));
  Expr* known = comparison(kFloat8Differs, (Expr*)copyObjectImpl(value), nan);
  return (Expr*)make_and_qual((Node*)copyObjectImpl(filter), (Node*)known);
}

Expr* rounded(Expr* decimal, double unit) {
  Expr* number = call_builtin(F_FLOAT8_NUMERIC, FLOAT8OID, list_make1(decimal));
  return unit == 1 ? number : times(number, unit);
}

}  // namespace dpmix::pg
