// Reads of buffers that nobody sees counted: which pages a statistics scan touches depends on the
// rows that match (long values are fetched, a join with an empty side is left), and pg_stat_io
// shows exact numbers of hits and reads since PostgreSQL 16.
#pragma once

#include "pg/border/compat.hpp"

namespace dpmix::pg {

void io_counts_init();  // once a process

// Whatever this process counts from begin to end is forgotten, also if it ends in between; a pair
// within another one does nothing. While
// the setting kUncounted is on (the caller's affair), so is what its parallel workers count.
inline constexpr char kUncounted[] = "dpmix.uncounted_io";
void begin_uncounted(IoCounts* saved);
void end_uncounted(const IoCounts* saved);

}  // namespace dpmix::pg
