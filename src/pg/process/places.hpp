// The pool of release processes as it lies in shared memory.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "storage/condition_variable.h"
#include "storage/dsm_impl.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
}

namespace dpmix::pg {

constexpr int kPlaces = 64, kWishes = 32;

struct SharedPlace {
  uint64 generation;  // 0: empty
  Oid database;
  pid_t pid;
  bool launched;      // the postmaster knows of the process
  Latch* latch;       // NULL: not here yet
  TimestampTz since;  // when it was launched, or last reserved
  uint64 sequence;    // 0: idle
  pid_t caller;       // who reserved it
  PGPROC* session;
  Oid role;
  dsm_handle order;  // DSM_HANDLE_INVALID: reserved, nothing handed over
  volatile uint64 cancelled;
};

// Who waits writes so as often as it looks. Nobody has to take it back: it passes.
struct Wish {
  Oid database, role;
  TimestampTz looked;
};

struct Pool {
  LWLock lock;                // first: SharedPiece
  ConditionVariable changed;  // a process came, or is free
  uint64 sequence, generation;
  SharedPlace places[kPlaces];
  Wish wishes[kWishes];
};
static_assert(sizeof(Pool) <= 6 * 1024, "must fit the slack, beside the ledger");

}  // namespace dpmix::pg
