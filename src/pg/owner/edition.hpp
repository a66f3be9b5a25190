// Editions of a table: what memory has of an older one answers no question about a newer.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// The next one's number. Inside as_catalog_owner().
int64 begin_edition(int64 record);

}  // namespace dpmix::pg
