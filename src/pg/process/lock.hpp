// How a caller waits while its release process may wait for locks: for a lock of PostgreSQL's that
// the process holds meanwhile, so that the deadlock detector sees who waits for whom. The process
// takes it before any other, and lets go of it when it has all that it will ever need.
#pragma once

#include "pg/process/pool.hpp"

namespace dpmix::pg {

// Process: of the transaction, whatever part of it is at work.
void take_order_lock(uint64 sequence);
void release_order_lock(uint64 sequence);
void wait_while_locking(const Place& place);  // caller

// Process: equal questions of several callers, told by a number that says nothing to others, are
// made one after the other. Held beyond the transaction, until the order is over.
void take_question_lock(uint64 question);
void release_question_lock();  // no effect unless it is held

}  // namespace dpmix::pg
