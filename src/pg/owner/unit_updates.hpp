// UPDATEs of the columns that say whose row it is: that of the unit, or of a link. A charge before
// such an UPDATE and one after it are about the same row as that of two units: each may have spent
// the whole budget on it.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Creates triggers as the table's owner: from now on each statement that names one of the columns,
// or a key that links lead to, is on record, and with `guarded` no row changes in these columns.
// Drops older triggers; without columns there are none then.
void watch_unit(Oid relation, const char* const* column, int columns, bool guarded);
// How many statements are on record.
int64 unit_updates(int64 table_id);

}  // namespace dpmix::pg
