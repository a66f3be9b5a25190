// The total functions that row expressions are compiled to (core/input/total_arithmetic.hpp): NULL
// where PostgreSQL's own would raise an error. All are strict.
#include "pg/rows/arithmetic.hpp"

#include "core/base/clamped.hpp"
#include "core/input/total_arithmetic.hpp"

extern "C" {
#include "access/detoast.h"
#include "utils/date.h"

PG_FUNCTION_INFO_V1(dpmix_total_clamp);
PG_FUNCTION_INFO_V1(dpmix_total_without_nan);
PG_FUNCTION_INFO_V1(dpmix_total_product);
PG_FUNCTION_INFO_V1(dpmix_total_date_add);
PG_FUNCTION_INFO_V1(dpmix_short_text);
PG_FUNCTION_INFO_V1(dpmix_comparable_text);
PG_FUNCTION_INFO_V1(dpmix_key_text);
}

#define TOTAL_FUNCTION(name, operation)                                       \
  extern "C" {                                                                \
  PG_FUNCTION_INFO_V1(dpmix_total_##name);                                    \
  Datum dpmix_total_##name(PG_FUNCTION_ARGS) {                                \
    return dpmix::pg::total_function<dpmix::RowOperation::operation>(fcinfo); \
  }                                                                           \
  }

namespace dpmix::pg {
namespace {

template <RowOperation operation>
Datum total_function(FunctionCallInfo fcinfo) {
  const double b = takes_two(operation) ? PG_GETARG_FLOAT8(1) : 0;
  const std::optional<double> value = evaluate(operation, PG_GETARG_FLOAT8(0), b);
  if (!value) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(*value);
}

double within(double x, double lower, double upper) {
  return x != x ? x : dpmix::clamped(x, lower, upper);  // NaN is missing, not a bound
}

// Of arguments from the first on: x, its bounds, an origin and a step. How many steps x, within the
// bounds, is from the origin.
std::optional<double> steps_of(FunctionCallInfo fcinfo, int first) {
  const double x =
      within(PG_GETARG_FLOAT8(first), PG_GETARG_FLOAT8(first + 1), PG_GETARG_FLOAT8(first + 2));
  const auto distance = evaluate(RowOperation::subtract, x, PG_GETARG_FLOAT8(first + 3));
  if (!distance) return std::nullopt;
  return evaluate(RowOperation::divide, *distance, PG_GETARG_FLOAT8(first + 4));
}

bool is_long(Datum text) {
  return toast_raw_datum_size(text) - VARHDRSZ > kLongestText;  // not fetched for its length
}

}  // namespace
}  // namespace dpmix::pg

TOTAL_FUNCTION(add, add)
TOTAL_FUNCTION(subtract, subtract)
TOTAL_FUNCTION(multiply, multiply)
TOTAL_FUNCTION(divide, divide)
TOTAL_FUNCTION(quotient, quotient)
TOTAL_FUNCTION(remainder, remainder)
TOTAL_FUNCTION(power, power)
TOTAL_FUNCTION(log_base, log_base)
TOTAL_FUNCTION(round, round)
TOTAL_FUNCTION(round_digits, round_digits)
TOTAL_FUNCTION(trunc_digits, trunc_digits)
TOTAL_FUNCTION(sign, sign)
TOTAL_FUNCTION(sqrt, square_root)
TOTAL_FUNCTION(cbrt, cube_root)
TOTAL_FUNCTION(exp, exponential)
TOTAL_FUNCTION(ln, natural_log)
TOTAL_FUNCTION(log10, log10)

extern "C" {

Datum dpmix_total_clamp(PG_FUNCTION_ARGS) {
  PG_RETURN_FLOAT8(
      dpmix::pg::within(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2)));
}

// What pairs of numbers sum: one call for each row, not seven.
Datum dpmix_total_product(PG_FUNCTION_ARGS) {
  const auto x = dpmix::pg::steps_of(fcinfo, 0), y = dpmix::pg::steps_of(fcinfo, 5);
  if (!x || !y) PG_RETURN_NULL();
  const auto product = dpmix::evaluate(dpmix::RowOperation::multiply, *x, *y);
  if (!product) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(*product);
}

Datum dpmix_total_without_nan(PG_FUNCTION_ARGS) {
  const double x = PG_GETARG_FLOAT8(0);
  PG_RETURN_FLOAT8(x != x ? PG_GETARG_FLOAT8(1) : x);
}

// Days are a whole number, or there is no date.
Datum dpmix_total_date_add(PG_FUNCTION_ARGS) {
  const DateADT date = PG_GETARG_DATEADT(0);
  const double days = PG_GETARG_FLOAT8(1);
  if (DATE_NOT_FINITE(date)) PG_RETURN_DATEADT(date);
  const double sum = static_cast<double>(date) + days;  // exact where it is in range
  const bool valid = std::rint(days) == days && sum >= DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE &&
                     sum < DATE_END_JULIAN - POSTGRES_EPOCH_JDATE;
  if (!valid) PG_RETURN_NULL();
  PG_RETURN_DATEADT(static_cast<DateADT>(sum));
}

Datum dpmix_short_text(PG_FUNCTION_ARGS) {
  const Datum value = PG_GETARG_DATUM(0);
  if (dpmix::pg::is_long(value)) PG_RETURN_NULL();
  PG_RETURN_DATUM(PointerGetDatum(PG_DETOAST_DATUM_PACKED(value)));  // what follows sees it whole
}

Datum dpmix_comparable_text(PG_FUNCTION_ARGS) {
  if (dpmix::pg::is_long(PG_GETARG_DATUM(0))) PG_RETURN_NULL();
  PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

Datum dpmix_key_text(PG_FUNCTION_ARGS) {
  const Datum value = PG_GETARG_DATUM(0);
  if (toast_raw_datum_size(value) - VARHDRSZ > (Size)PG_GETARG_INT32(1)) PG_RETURN_NULL();
  PG_RETURN_DATUM(PointerGetDatum(PG_DETOAST_DATUM_PACKED(value)));  // kept as it is now
}
}
