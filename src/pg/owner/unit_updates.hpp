// UPDATEs of the column that says whose row it is. A charge before such an UPDATE and one after it
// are about the same row as that of two units: each may have spent the whole budget on it.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// As the table's owner: from now on each statement that names the column is on record, and with
// `guarded` no row changes its unit. Drops older triggers; unit NULL: there are none then.
void watch_unit(Oid relation, const char* unit, bool guarded);
// How many statements are on record.
int64 unit_updates(int64 table_id);

}  // namespace dpmix::pg
