// A clock of dpmix's own: in the databases of the setting dpmix.run_due, schedules run when they
// are due, without pg_cron. What a run is and may do: run.hpp.
#pragma once

namespace dpmix::pg {

// Called by _PG_init: the settings, and the clock's process where the postmaster loads the library.
void clock_init();

}  // namespace dpmix::pg
