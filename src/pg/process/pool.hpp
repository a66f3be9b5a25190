// The release processes of all databases, in shared memory: background workers of dpmix's own, each
// of one database, each with one order at a time.
//
// A place goes   empty -> launched -> idle -> reserved -> at work -> idle ... -> empty.   Every
// step is made under one lock. A caller's hold on a place is its sequence number, a process's the
// generation: whoever comes late names an order that is over, and nobody heeds it.
//
// Nothing is held by nobody: a caller's hold is written where its clean-up looks before the caller
// waits for anything. What is left all the same (its caller is gone; a process that was launched
// never came) is taken back by whoever looks for a place, and by the process itself.
//
// A role may take all places, but while another one waits no more than its part: the processes
// divided by the roles that hold or want one.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/dsm_impl.h"
}

namespace dpmix::pg {

struct Place {  // a caller's hold
  int index;
  uint64 sequence;  // 0: none
};

// Called by _PG_init: makes the settings and reserves the memory.
void release_pool_init();

// Caller. A process of this database that waits for an order, launched where there is none. PV004
// where none can be had. Waits, interruptibly, where all are at work, but not for long: one of them
// may wait for this very transaction. The caller leaves the process whatever happens from here on:
// the hold is written before the first wait.
void reserve_process(Place* place);
// Hands the order over and wakes the process.
void submit_order(const Place& place, dsm_handle order);
// Whether the process still is at this order.
bool is_at_work(const Place& place);
// Ends the hold, if there is one; the order, if it is still at work, is cancelled. Never raises.
void leave_process(Place* place);

// Process. False: the place was given to another.
bool enter_pool(uint64 generation);
// The next order; DSM_HANDLE_INVALID: the time is up, the place is given up, and the process ends.
dsm_handle next_order();
// Call after the last step of an order: the place is idle again.
void finish_order();
// Its sequence number; whether its caller cancelled it, which a signal handler may ask.
uint64 order_at_work();
bool is_order_cancelled();
void leave_pool(int code, Datum);  // exit callback

}  // namespace dpmix::pg
