// The types of columns that hold numbers, and the way from a double to a value of one.
//
// The way back, from a column's value to a double, is dpmix_internal.to_float8
// (pg/rows/to_float8.cpp); both agree that dates are days, timestamps seconds, since 2000-01-01.
#pragma once

#include "core/base/clamped.hpp"
#include "core/drawing/axis.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace dpmix::pg {

// How one column writes a double: times `units`, rounded, clamped to [low, high], as its type.
struct NumberType {
  Oid type;  // the type below domains
  int32 typmod;
  double units;      // grid points per 1; 0: no grid (float4, float8)
  double low, high;  // in grid points
  int scale;         // numeric: decimals on the grid, may be negative
};

// Whether dpmix_internal.to_float8 and number_datum know the type (domains: what they are made of).
bool holds_numbers(Oid type);

// What pictures show of such numbers.
AxisUnit axis_unit(Oid type);

// SQL that makes a float8 of any value of such a type; column: as SQL names it.
const char* float8_sql(Oid type, const char* column);

// PV005 (naming the column) when the type holds no numbers, or none of its values lies in the
// bounds.
NumberType number_type(const char* column, Oid type, int32 typmod, double lower, double upper);

// How the number that stands for a value of one type becomes that of the same value in another, as
// PostgreSQL casts it: dates are days, timestamps seconds (in UTC). What is of one kind stays.
enum class NumberCast { none, date_to_time, time_to_date };
// PV005 (naming the column) unless both are numbers, both booleans, or both dates or times.
NumberCast cast_between(const char* column, Oid from, Oid to);
double cast_other(NumberCast cast, double value);
inline double cast_number(NumberCast cast, double value) {
  return cast == NumberCast::none ? value : cast_other(cast, value);
}

Datum grid_datum(const NumberType* type, double place);  // place: from low to high; it is rounded
inline Datum number_datum(const NumberType* type, double value) {  // value is not NaN
  const double placed = type->units == 0 ? value : value * type->units;
  const double k = clamped(placed, type->low, type->high);
  if (type->type == FLOAT8OID) return Float8GetDatum(k);
  if (type->type == FLOAT4OID) return Float4GetDatum((float)k);
  return grid_datum(type, k);
}

}  // namespace dpmix::pg
