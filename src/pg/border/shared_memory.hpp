// Shared memory of dpmix, with and without shared_preload_libraries: what is asked for in time is
// reserved; otherwise it comes out of the slack that PostgreSQL leaves, some 100 kB for all
// extensions. Each piece is one structure that begins with its lock, found or made at first use.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "storage/lwlock.h"
}

namespace dpmix::pg {

struct SharedPiece {
  const char* name;  // at most 23 bytes: the library's build id follows, so no other build reads it
  const char* tranche;  // of the lock
  Size size;
  void (*begin)(LWLock* memory) = NULL;  // sets what begins neither as zeros nor as the lock
  bool looked = false;                   // in this process
  LWLock* memory = NULL;                 // NULL: there is none
};

// Called by _PG_init: reserves room for a piece. The first to ask is attached before any other.
void reserve(SharedPiece* piece);
// Whether it is there; asks once. Nothing here raises.
bool attach(SharedPiece* piece);

}  // namespace dpmix::pg
