// A release does not see what its caller's transaction wrote: it is another process's transaction.
// It says so, where the answer would lack those rows, instead of leaving them out.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace dpmix::pg {

// Called by _PG_init.
void own_rows_init();

// Caller: PV002 where its transaction may have changed what dpmix knows of tables.
void refuse_own_declarations();
// Process: PV002 where the caller's transaction may have written to one of these tables (entries of
// FROM), or holds a lock that this process would wait for.
void require_committed(const List* tables);

}  // namespace dpmix::pg
