#include "pg/rows/number_type.hpp"

#include <cfloat>
#include <cmath>

#include "pg/border/guard.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

constexpr int kDigits = 15;  // decimal digits that every double keeps

double power_of_ten(int exponent) {
  return std::pow(10.0, exponent);
}

// The grid points nearest to the bounds inside them; a bound that is a grid point but for its
// binary rounding counts as one.
double first_inside(double x) {
  const double k = std::rint(x);
  return std::abs(x - k) <= 1e-9 * std::fmax(1, std::abs(k)) ? k : std::ceil(x);
}
double last_inside(double x) {
  return -first_inside(-x);
}

void set_range(NumberType* type, double lower, double upper, double type_low, double type_high) {
  type->low = std::fmax(first_inside(lower * type->units), type_low);
  type->high = std::fmin(last_inside(upper * type->units), type_high);
}

void set_float4(NumberType* type, double lower, double upper) {
  float low = (float)std::fmax(lower, -FLT_MAX), high = (float)std::fmin(upper, FLT_MAX);
  if (low < lower) low = std::nextafter(low, FLT_MAX);
  if (high > upper) high = std::nextafter(high, -FLT_MAX);
  type->low = low;
  type->high = high;
}

void set_numeric(NumberType* type, double lower, double upper) {
  const double largest = std::fmax(std::abs(lower), std::abs(upper));
  // Decimals that a double of this size still determines.
  const int exact = kDigits - (int)std::ceil(std::log10(std::fmax(largest, DBL_MIN)));
  double limit = power_of_ten(kDigits);
  if (type->typmod < (int32)VARHDRSZ) {
    const int wanted = (int)std::ceil(6 - std::log10(upper - lower));
    type->scale = Min(Max(wanted, 0), Min(exact, 300));
  } else {
    const int32 modifier = type->typmod - VARHDRSZ;
    const int precision = (modifier >> 16) & 0xffff;
    const int scale = ((modifier & 0x7ff) ^ 1024) - 1024;
    type->scale = Min(scale, exact);
    const int digits = precision - (scale - type->scale);
    if (digits < kDigits) limit = digits > 0 ? power_of_ten(digits) - 1 : 0;
  }
  type->units = power_of_ten(type->scale);
  set_range(type, lower, upper, -limit, limit);
}

// false: not a type that holds numbers.
bool set_type(NumberType* type, double lower, double upper) {
  type->units = 1;
  switch (type->type) {
    case FLOAT8OID:
      type->units = 0;
      type->low = lower;
      type->high = upper;
      return true;
    case FLOAT4OID:
      type->units = 0;
      set_float4(type, lower, upper);
      return true;
    case INT2OID:
      set_range(type, lower, upper, PG_INT16_MIN, PG_INT16_MAX);
      return true;
    case INT4OID:
      set_range(type, lower, upper, PG_INT32_MIN, PG_INT32_MAX);
      return true;
    case INT8OID:
      set_range(type, lower, upper, -0x1p63, 0x1p63 - 1024);
      return true;
    case BOOLOID:
      set_range(type, lower, upper, 0, 1);
      return true;
    case DATEOID:
      set_range(type, lower, upper, DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE,
                DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1);
      return true;
    case TIMESTAMPOID:
    case TIMESTAMPTZOID: {
      const int decimals = type->typmod >= 0 ? type->typmod : MAX_TIMESTAMP_PRECISION;
      type->units = power_of_ten(decimals);
      const double second = (double)USECS_PER_SEC;
      set_range(type, lower, upper, std::ceil((double)MIN_TIMESTAMP / second) * type->units,
                std::floor((double)END_TIMESTAMP / second - 1) * type->units);
      return true;
    }
    case NUMERICOID:
      set_numeric(type, lower, upper);
      return true;
    default:
      return false;
  }
}

Datum numeric_of(const NumberType* type, double k) {
  Datum value;
  if (type->scale >= 0) {
    value = NumericGetDatum(int64_div_fast_to_numeric((int64)k, type->scale));
  } else {
    value = DirectFunctionCall1(float8_numeric, Float8GetDatum(k * power_of_ten(-type->scale)));
  }
  if (type->typmod < (int32)VARHDRSZ) return value;
  return DirectFunctionCall2(numeric, value, Int32GetDatum(type->typmod));
}

}  // namespace

bool holds_numbers(Oid type) {
  NumberType probe = {getBaseType(type), -1, 0, 0, 0, 0};
  return set_type(&probe, 0, 1);
}

AxisUnit axis_unit(Oid type) {
  switch (type) {
    case DATEOID:
      return AxisUnit::date;
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return AxisUnit::time;
    case BOOLOID:
      return AxisUnit::boolean;
    default:
      return AxisUnit::number;
  }
}

const char* float8_sql(Oid type, const char* column) {
  switch (type) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case FLOAT4OID:
    case FLOAT8OID:
      return psprintf("%s::pg_catalog.float8", column);
    case INTERVALOID:
      return psprintf("pg_catalog.date_part('epoch', %s)", column);
    default:  // their casts may raise, or do not exist
      return psprintf("dpmix_internal.to_float8(%s)", column);
  }
}

NumberType number_type(const char* column, Oid declared, int32 typmod, double lower, double upper) {
  NumberType type = {InvalidOid, typmod, 0, 0, 0, 0};
  type.type = getBaseTypeAndTypmod(declared, &type.typmod);
  if (!set_type(&type, lower, upper)) {
    refuse_argument(psprintf("column \"%s\" cannot be a feature", column),
                    psprintf("It is of type %s.", format_type_be(declared)),
                    "Features are smallint, integer, bigint, numeric, real, double precision, "
                    "date, timestamp, timestamptz or boolean.");
  }
  if (!(type.low <= type.high)) {
    refuse_argument(
        psprintf("column \"%s\" cannot hold values within the feature's bounds", column),
        psprintf("It is of type %s; the bounds are %g and %g.",
                 format_type_with_typemod(declared, typmod), lower, upper),
        "Use a row type whose column is of the modelled column's type.");
  }
  return type;
}

namespace {

enum class Kind { number, boolean, date, time };

Kind kind_of(Oid type) {
  switch (type) {
    case BOOLOID:
      return Kind::boolean;
    case DATEOID:
      return Kind::date;
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return Kind::time;
    default:
      return Kind::number;
  }
}

}  // namespace

NumberCast cast_between(const char* column, Oid from, Oid to) {
  const Kind a = kind_of(from), b = kind_of(getBaseType(to));
  if (a == b || !holds_numbers(to)) return NumberCast::none;  // number_type() refuses the latter
  if (a == Kind::date && b == Kind::time) return NumberCast::date_to_time;
  if (a == Kind::time && b == Kind::date) return NumberCast::time_to_date;
  refuse_argument(psprintf("column \"%s\" is of another kind than the feature", column),
                  psprintf("It is of type %s, the feature of type %s.", format_type_be(to),
                           format_type_be(from)),
                  "Numbers go into columns of numbers, dates and timestamps into either, booleans "
                  "into booleans.");
}

double cast_other(NumberCast cast, double value) {
  switch (cast) {
    case NumberCast::date_to_time:
      return std::rint(value) * SECS_PER_DAY;
    case NumberCast::time_to_date:
      return std::floor(value / SECS_PER_DAY);
    default:
      return value;
  }
}

// The ends of the range are grid points, so that rounding stays between them.
Datum grid_datum(const NumberType* type, double place) {
  const double k = std::rint(place);
  switch (type->type) {
    case INT2OID:
      return Int16GetDatum((int16)k);
    case INT4OID:
      return Int32GetDatum((int32)k);
    case INT8OID:
      return Int64GetDatum((int64)k);
    case BOOLOID:
      return BoolGetDatum(k != 0);
    case DATEOID:
      return DateADTGetDatum((DateADT)k);
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return TimestampGetDatum((Timestamp)std::rint(k * ((double)USECS_PER_SEC / type->units)));
    default:
      return numeric_of(type, k);
  }
}

}  // namespace dpmix::pg
