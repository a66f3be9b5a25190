// From a column's value to a double, for any value: what stands where a cast might raise. Infinite
// values become +-Infinity, which every lattice clamps to its bounds.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "utils/date.h"
}

namespace dpmix::pg {

double date_float8(DateADT date);  // days since 2000-01-01
// Of a type that holds_numbers() or is boolean, below domains.
double value_float8(Oid type, Datum value);

}  // namespace dpmix::pg
