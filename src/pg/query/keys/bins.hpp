// Bins of a number as a group key: floor(x / w) * w, round(x, -1), x::int / 10 and the like.
//
// A function that cuts (floor, ceiling, rounding, a whole quotient) is constant between multiples
// of a step, and at each multiple has the value that belongs to it. So the key has no other values
// than what it makes of those multiples between the bounds of what is cut, and of these bounds.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// The values, as float8, perhaps several times. 0: the key is no such bin, what is cut has no
// bounds, or there are more than kMaxGroups multiples. Where facts leave nothing between the bounds
// the key has none.
int find_bins(const RowScope* scope, const QueryKey* asked, KeyColumn* key, Datum** value);

}  // namespace dpmix::pg
