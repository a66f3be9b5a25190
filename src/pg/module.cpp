// The shared library as PostgreSQL sees it. No random state is made here: a postmaster that
// preloads the library would hand the same state to every backend.
#include "core/poll.hpp"
#include "pg/calibration_shared.hpp"
#include "pg/guard.hpp"
#include "pg/ledger_shared.hpp"

extern "C" {
PG_MODULE_MAGIC;
PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  dpmix::poll_hook = [] {
    if (unlikely(InterruptPending)) throw dpmix::pg::Interrupted{};
  };
  dpmix::pg::ledger_init();
  dpmix::pg::calibration_shared_init();
}
}
