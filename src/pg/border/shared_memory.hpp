// Shared memory of dpmix, with and without shared_preload_libraries: what is asked for in time is
// reserved; else it comes out of the slack that PostgreSQL leaves, some 100 kB for all extensions.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Of _PG_init: room for one more structure of this size. No effect unless the library is preloaded.
void reserve_shared_memory(Size size);

}  // namespace dpmix::pg
