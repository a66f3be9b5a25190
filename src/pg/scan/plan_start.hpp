// What each process does between the start of a plan of dpmix's own and its first row: the process
// of a release, and every parallel worker of it.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

void plan_start_init();  // called by _PG_init

}  // namespace dpmix::pg
