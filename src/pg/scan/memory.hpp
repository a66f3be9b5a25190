// What a release may take of its process's memory for rows.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

void scan_memory_init();  // of _PG_init

int scan_memory();  // kB: dpmix.scan_memory

// As PostgreSQL shows it: bytes of a table with its children or partitions, and of what is stored
// out of line.
double public_size(Oid relation);

}  // namespace dpmix::pg
