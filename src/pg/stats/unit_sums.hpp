// Sums of the rows of one privacy unit, or of one in a group, before they are weighed: small values
// (bytea), of which a shard keeps one for each unit.
//
// Enters: rows, as of lattice_sum and lattice_squares. Leaves: what these add up with a weight: the
// sum of weighed rows is the weighed sum, in integers.
#pragma once

#include "pg/stats/lattice_state.hpp"

namespace dpmix::pg {

struct UnitSum {
  int64 count;
  uint64 total[2];
};
struct UnitSquares {
  UnitSum sum;
  uint64 squares[2];
};

[[noreturn]] void refuse_unit();  // PV005

// One that unit_sum or unit_squares made.
template <class Sum>
Sum unit_argument(FunctionCallInfo fcinfo, int argument) {
  bytea* unit = PG_GETARG_BYTEA_PP(argument);
  if (VARSIZE_ANY_EXHDR(unit) != sizeof(Sum)) refuse_unit();
  Sum sum;
  memcpy(&sum, VARDATA_ANY(unit), sizeof sum);
  return sum;
}

inline void add_weighed(uint64* to, const uint64* sum, int64 weight) {
  set_wide(to, wide(to) + static_cast<Int128>(weight) * wide(sum));
}

}  // namespace dpmix::pg
