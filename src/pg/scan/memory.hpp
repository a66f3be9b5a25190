// dpmix.scan_memory: how much memory a release may take for rows and groups. It decides, with what
// PostgreSQL shows everybody of tables' sizes, whether a scan is cut into shares, or refused.
// dpmix.row_memory: how much the expressions of a query may take of one row.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

void scan_memory_init();  // called by _PG_init
double scan_memory_bytes();
double row_memory_bytes();

// Bytes of a table with its children or partitions, and of what is stored out of line.
double public_size(Oid relation);

}  // namespace dpmix::pg
