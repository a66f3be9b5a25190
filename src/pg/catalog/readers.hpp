// Who can read a table's rows without dpmix.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Roles but the owner to which SELECT was granted, on the table, a column or a partition: "a, b";
// NULL: none. Inside as_catalog_owner(), in the memory of SPI's caller.
const char* readers_of(Oid relation);
// WARNING that says so; readers NULL: none.
void warn_of_readers(const char* table, const char* readers);

}  // namespace dpmix::pg
