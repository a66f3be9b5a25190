// Shared memory that the library can do without: one structure under a lock of its own, found or
// made at first use, all zero but the lock. The ledger's memory comes first.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "storage/lwlock.h"
}

namespace dpmix::pg {

struct OptionalShared {
  const char* name;     // at most 23 bytes: the library's build id follows
  const char* tranche;  // of the lock
  Size size;
  bool looked;     // in this process
  LWLock* memory;  // the structure begins with its lock; NULL: there is none
};

// Of _PG_init: room for it.
void reserve(const OptionalShared& shared);
// Whether it is there; asks once. Nothing here raises.
bool attach(OptionalShared* shared);

}  // namespace dpmix::pg
