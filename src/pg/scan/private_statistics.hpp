// Plans that rest on public facts: while it is on, the planner of this process knows the size of
// tables and nothing else of them. Neither what values a column has (pg_statistic, extended
// statistics: the most common values of a small table are its rows), nor whether they are unique
// (an index proves nothing of an older snapshot).
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Called by _PG_init.
void private_statistics_init();

// Turns it on or off; returns what it was.
bool hide_statistics(bool on);

}  // namespace dpmix::pg
