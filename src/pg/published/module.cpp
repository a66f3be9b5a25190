// dpmix_papers, a library of its own: published mechanisms, which dpmix does not hold. Of dpmix's
// code it has its own copy, of which no name is seen from outside (exports.map).
#include "core/base/poll.hpp"
#include "pg/border/guard.hpp"

extern "C" {
#ifdef PG_MODULE_MAGIC_EXT  // since PostgreSQL 18, where the plain one warns in C++
PG_MODULE_MAGIC_EXT(.name = "dpmix_papers", .version = NULL);
#else
PG_MODULE_MAGIC;
#endif
PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  dpmix::poll_hook = [] {
    if (unlikely(InterruptPending)) dpmix::pg::postgres([] { CHECK_FOR_INTERRUPTS(); });
  };
}
}
