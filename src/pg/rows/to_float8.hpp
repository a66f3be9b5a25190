// A column's value as a double, for any value, where a cast might raise. Infinite values become
// +-Infinity, which every lattice clamps to its bounds.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "utils/date.h"
}

namespace dpmix::pg {

double date_float8(DateADT date);  // days since 2000-01-01
// The number of a value of a type that holds_numbers() or is boolean, below domains.
double value_float8(Oid type, Datum value);

}  // namespace dpmix::pg
