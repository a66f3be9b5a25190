// A value with its type, as PostgreSQL takes it: an argument of a statement, a column of a result.
#pragma once

#include <cmath>

#include "pg/border/postgres.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {

struct Value {
  Oid type;
  Datum datum;
  bool null;

  Value(Oid of, Datum value, bool missing = false) : type(of), datum(value), null(missing) {}
  Value(bool value) : Value(BOOLOID, BoolGetDatum(value)) {}
  Value(int16 value) : Value(INT2OID, Int16GetDatum(value)) {}
  Value(int32 value) : Value(INT4OID, Int32GetDatum(value)) {}
  Value(int64 value) : Value(INT8OID, Int64GetDatum(value)) {}
  Value(double value) : Value(FLOAT8OID, Float8GetDatum(value)) {}
  Value(Oid value) : Value(OIDOID, ObjectIdGetDatum(value)) {}
  Value(const char* text)  // NULL: NULL
      : Value(TEXTOID, text == NULL ? (Datum)0 : CStringGetTextDatum(text), text == NULL) {}
  Value(char* text) : Value(static_cast<const char*>(text)) {}
  template <class Other>
  Value(Other* pointer) = delete;  // would be a boolean
};

// The value where there is one.
inline Value value_if(bool known, Value value) {
  return {value.type, value.datum, value.null || !known};
}
inline Value finite_value(double number) {  // NULL for NaN and infinities
  return value_if(std::isfinite(number), number);
}

// The number rounded to six significant digits, for people to read.
double six_digits(double number);

inline Value time_value(TimestampTz time) {
  return {TIMESTAMPTZOID, TimestampTzGetDatum(time)};
}
Value name_value(const char* text);  // of type name; NULL: NULL

// One-dimensional arrays; names and texts NULL: NULL.
Value name_array(const char* const* names, int count);
Value text_array(const char* const* texts, int count);
Value oid_array(const Oid* oids, int count, Oid element = OIDOID);
Value int8_array(const int64* numbers, int count);
Value float8_array(const double* numbers, int count);
// An array of one, two or three dimensions.
Value float8_array(const double* numbers, int dimensions, const int* sizes);

}  // namespace dpmix::pg
