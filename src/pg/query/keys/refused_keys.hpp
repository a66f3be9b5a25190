// Why groups cannot come back, and what to do: before a charge.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// PV003: the values of a key are not public. PV005: they are, but too many.
[[noreturn]] void refuse_key(const RowScope* scope, const QueryKey* asked);

// PV002: each group is of one privacy unit, whose group never comes back but by chance. So it is
// where a key is the unit, or the columns of a unique key are among the keys: a query that finds
// such groups would be charged for nothing.
void refuse_groups_of_one(const RowScope* scope, const QueryShape* shape);

}  // namespace dpmix::pg
