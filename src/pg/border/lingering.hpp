// How long a process of dpmix's own stays when it has nothing to do. A database that is asked every
// few seconds should not pay for a start each time; slots of background workers are scarce, and
// DROP DATABASE waits five seconds for other sessions and no longer.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Called by _PG_init: reserves the memory.
void lingering_init();

// So long may an idle process sleep between two looks at whether it should go.
constexpr int kLingerLook = 500;  // milliseconds
inline long linger_look(int setting) {
  constexpr int kLeast = 10;
  return setting < 0 ? kLingerLook : Max(kLeast, Min(setting, kLingerLook));
}

// Whether an idle process should end: since when it is idle (steady_microseconds()), how many of
// its kind the cluster has, and its setting, in milliseconds. A setting below 0: after 3 s; after a
// minute where they are at most an eighth of max_worker_processes and nobody lately looked for a
// slot in vain. Whatever the setting, from the second look on when somebody waits to drop, rename,
// move or copy the database.
bool should_end(int64 idle_since, int of_its_kind, int setting);
// A slot of a background worker was looked for in vain.
void note_no_slot();

}  // namespace dpmix::pg
