// From a column's value to a double, for any value: what stands where a cast might raise. Infinite
// values become +-Infinity, which every lattice clamps to its bounds.
#include <limits>

#include "pg/postgres.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "utils/date.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dpmix_bool_to_float8);
PG_FUNCTION_INFO_V1(dpmix_date_to_float8);
PG_FUNCTION_INFO_V1(dpmix_timestamp_to_float8);
}

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

extern "C" {

Datum dpmix_bool_to_float8(PG_FUNCTION_ARGS) {
  PG_RETURN_FLOAT8(PG_GETARG_BOOL(0) ? 1.0 : 0.0);
}

Datum dpmix_date_to_float8(PG_FUNCTION_ARGS) {  // days since 2000-01-01
  const DateADT date = PG_GETARG_DATEADT(0);
  if (DATE_IS_NOBEGIN(date)) PG_RETURN_FLOAT8(-kInfinity);
  if (DATE_IS_NOEND(date)) PG_RETURN_FLOAT8(kInfinity);
  PG_RETURN_FLOAT8(static_cast<double>(date));
}

Datum dpmix_timestamp_to_float8(PG_FUNCTION_ARGS) {  // seconds since 2000-01-01
  const Timestamp timestamp = PG_GETARG_TIMESTAMP(0);
  if (TIMESTAMP_IS_NOBEGIN(timestamp)) PG_RETURN_FLOAT8(-kInfinity);
  if (TIMESTAMP_IS_NOEND(timestamp)) PG_RETURN_FLOAT8(kInfinity);
  PG_RETURN_FLOAT8(static_cast<double>(timestamp) / static_cast<double>(USECS_PER_SEC));
}

}  // extern "C"
