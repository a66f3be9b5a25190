// Buckets as group keys: date_trunc, date_bin, extract, date_part and the day of a column with
// declared bounds in time, under the steps of steps.hpp; and width_bucket of a column.
//
// PostgreSQL's own functions, which could raise on some value of their types, are called only where
// they cannot: between the declared bounds (NULL elsewhere), not on NaN. Their constants are
// checked by calling them, before the charge. A timestamptz is cut in the session's time zone.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// False when the key is no bucket. Else as find_public_values() does.
bool find_buckets(const RowScope* scope, const QueryKey* asked, KeyColumn* key);

// Whether it cuts a column in time with declared bounds at midnights, or by date_trunc.
bool cuts_time(const RowScope* scope, Node* expression);

}  // namespace dpmix::pg
