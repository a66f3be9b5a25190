// Bounds and categories of a public table's columns: what its rows say, read with the caller's own
// rights in the caller's snapshot, before any charge.
#pragma once

#include "pg/catalog/domains.hpp"

namespace dpmix::pg {

// The least and the largest finite value as float8 (dates: days, timestamps: seconds since
// 2000-01-01), a little apart where there is one only; 0 and 1 where there is none; and whether
// there are infinite ones. PV003 where the
// type has no numbers.
ColumnDomain public_bounds(Oid relation, AttrNumber column);

// The distinct values in their order, as texts that read the same under any setting. PV005 where
// they are more than groups can be.
ColumnDomain public_categories(Oid relation, AttrNumber column);

}  // namespace dpmix::pg
