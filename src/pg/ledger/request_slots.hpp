// Where callers and ledger workers meet: request slots and a list of workers in shared memory.
//
// A slot goes   free -> pending -> taken -> done -> free.   A caller that leaves takes its request
// with it while pending (it was never seen) and abandons it when taken (the charge stands, the
// worker frees the slot). Every step is made under one lock and names the slot's sequence number,
// so that no reply can reach a later request. There is at most one worker per database: an entry is
// reserved before one is launched, and given up by its exit callback, after its last transaction.
//
// Works with and without shared_preload_libraries. No function here raises an error once attached.
#pragma once

#include "pg/ledger/request.hpp"

extern "C" {
#include "storage/latch.h"
}

namespace dpmix::pg {

constexpr Size kTagBytes = 48;  // "schedule_run"

struct OrderedTable {
  int64 id;
  Oid relation;
};

struct ChargeOrder {  // a ChargeRequest as plain bytes
  bool barrier;       // charges nothing: answered when all that was taken before is settled
  int64 sight;        // charges nothing: the charge of another grant whose answer is shown; 0: none
  OrderedTable table;
  OrderedTable other[kMostTables - 1];  // of the same account
  int others;
  BlockRange blocks[kMostRanges];
  bool reads_no_block;  // although a table has blocks
  int block_count;
  Adjacency adjacency;
  Accountant accountant;
  double order;
  double epsilon, delta;
  double asked_epsilon;  // ChargeRequest's; 0: epsilon
  bool has_own;
  Cost own;
  Oid user;
  NameData role;   // its name
  Oid granted_to;  // whose grant it is; InvalidOid: owner or superuser
  char kind[16];
  char mechanism[32];
  char release[256];  // empty: none
  char parameters[kParameterBytes + kTagBytes + 1];
};

constexpr int64 kSettled = -1;

struct ChargeReply {
  int64 charge_id;  // kSettled: of a barrier. 0: refused, and then:
  int code;         // a SQLSTATE
  char message[256];
  char detail[512];
  char hint[256];
};

ChargeReply refusal_reply(int code, const char* message, const char* detail, const char* hint);

struct Ticket {  // a caller's hold on a slot
  int slot;
  uint64 sequence;
};

constexpr int kRequestSlots = 32;

// Called by _PG_init: makes the setting, and reserves the memory when the library is preloaded.
void ledger_init();
extern int ledger_idle_timeout;  // milliseconds; -1: should_end() decides
// Finds the memory or makes it. Raises when there is none left; the functions below call it.
void ledger_attach();

// Caller. Wakes the worker of this database if it has one.
struct Submission {
  bool submitted;  // false: all slots are in use
  bool woken;      // a worker knows
  bool alone;      // no other request is under way
};
Submission submit_order(const ChargeOrder& order, Ticket* ticket);
// Waits awake, for less than half a millisecond, for the answer to come, where the last commit took
// no longer: going to sleep and being woken takes as long. Only for a caller that is alone.
void expect_reply(const Ticket& ticket);
enum class Progress { waiting, in_work, answered };
// answered: the reply is copied and the slot is free again.
Progress collect_reply(const Ticket& ticket, ChargeReply* reply);
void leave_slot(const Ticket& ticket);
// Interruptible; at most a second. The first call only queues up and returns, so that no slot is
// freed unnoticed between a look and the sleep; end_wait_for_slot() leaves the queue, an error too.
void wait_for_slot();
void end_wait_for_slot();

// Caller: wakes the worker of this database. Nonzero: there is none, and the caller has reserved
// its place under this number and must launch it, or release_worker() when that fails.
enum class Wake { woken, starting, reserved, full };
Wake wake_worker(uint64* generation);
// Gives up a place whose worker never came; no effect once it did.
void release_worker(uint64 generation);

// Worker. False: the place was given to another.
bool enter_worker(uint64 generation);
// Moves pending orders of this database into orders; returns how many.
int take_orders(uint64 generation, ChargeOrder* orders, Ticket* tickets);
void answer_orders(const Ticket* tickets, const ChargeReply* replies, int count);
// Waits awake, for less than half a millisecond and, when there are several, no longer than a
// commit took, until as many orders are pending as callers were answered or came since: those that
// were at the ledger together tend to come back together, and would split into halves that
// alternate. For one alone, only where the last came back soon.
void expect_orders(int answered, int64 commit_microseconds);
// Those at work and those that wait, of all databases.
int ledger_workers();
// True: nothing is pending, and the place is given up.
bool retire_worker(uint64 generation);
// Exit callback: answers what was taken (the charges may stand), wakes callers still waiting.
void leave_worker(int code, Datum generation);

}  // namespace dpmix::pg
