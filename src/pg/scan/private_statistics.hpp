// What the planner of a release may know: sizes that PostgreSQL shows everyone, and nothing of what
// columns hold. Common values, numbers of different values, widths, correlations and extended
// statistics of rows would make plans, and so workers, memory and time, functions of the rows.
#pragma once

namespace dpmix::pg {

// Of _PG_init. In effect in release processes alone.
void private_statistics_init();

}  // namespace dpmix::pg
