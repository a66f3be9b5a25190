#include "pg/ledger/request_slots.hpp"

#include <sched.h>

#include "pg/border/guard.hpp"
#include "pg/border/shared_memory.hpp"
#include "pg/border/steady_clock.hpp"

extern "C" {
#include "storage/condition_variable.h"
#include "portability/instr_time.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/guc.h"
#include "utils/wait_event.h"
}

namespace dpmix::pg {

int ledger_idle_timeout = -1;

namespace {

constexpr int kWorkers = 16;
// How long anybody waits awake, at most: what is waited for takes a processor, too.
constexpr int64 kReplyMicroseconds = 400, kOrderMicroseconds = 200;
// A launched worker that has not come by then never will.
constexpr int64 kStartMicroseconds = 10 * 1000 * 1000;

enum class SlotState { free, pending, taken, abandoned, done };

struct Slot {
  SlotState state;
  uint64 sequence;
  uint64 worker;  // generation of the worker that took it
  Oid database;
  int pid;  // of the caller
  Latch* caller;
  union {
    ChargeOrder order;  // until a worker copies it
    ChargeReply reply;  // when done
  };
};

struct Worker {
  uint64 generation;  // 0: unused
  Oid database;
  Latch* latch;       // NULL: launched, not here yet
  int64 reserved_at;  // time by steady_microseconds()
};

struct LedgerShared {
  LWLock lock;
  ConditionVariable slot_freed;
  uint64 sequence;
  uint64 generation;
  volatile int64 commit_microseconds;  // of the last batch of all
  Worker workers[kWorkers];
  Slot slots[kRequestSlots];
};
static_assert(sizeof(LedgerShared) <= 64 * 1024, "must fit the slack of shared memory");

// Another build may lay it out otherwise; its worker and this one's take turns (worker.cpp).
SharedPiece piece = {"dpmix ledger ", "dpmix_ledger", sizeof(LedgerShared), [](LWLock* memory) {
                       ConditionVariableInit(&((LedgerShared*)memory)->slot_freed);
                     }};
LedgerShared* shared = NULL;
uint64 taken_through = 0;  // in the worker: the last request when it took what was there
int64 answered_at = 0;     // in the worker, by steady_microseconds()
bool comes_soon = false;   // in the worker: the last request came soon after an answer

void free_slot(Slot* slot) {
  slot->state = SlotState::free;
  slot->caller = NULL;
  ConditionVariableSignal(&shared->slot_freed);
}

void leave(Slot* slot) {
  if (slot->state == SlotState::taken) {
    slot->state = SlotState::abandoned;
    slot->caller = NULL;
  } else if (slot->state == SlotState::pending || slot->state == SlotState::done) {
    free_slot(slot);
  }
}

// Frees the slots of callers that are gone: each leaves its slot, so there should be none.
void take_back_slots() {
  for (Slot& slot : shared->slots) {
    const PGPROC* session = BackendPidGetProc(slot.pid);
    if (session == NULL || &session->procLatch != slot.caller) leave(&slot);
  }
}

Worker* worker_of(uint64 generation) {
  for (Worker& worker : shared->workers) {
    if (worker.generation == generation) return &worker;
  }
  return NULL;
}

Worker* worker_of_database(Oid database) {
  for (Worker& worker : shared->workers) {
    if (worker.generation != 0 && worker.database == database) return &worker;
  }
  return NULL;
}

bool is_pending(const Slot& slot) {
  return slot.state == SlotState::pending && slot.database == MyDatabaseId;
}

// Returns whom to wake: after the lock is released, or they would wake only to wait for it. Latches
// are shared memory for ever, and one set for nobody does no harm.
Latch* answer(Slot* slot, const ChargeReply& reply) {
  if (slot->state == SlotState::abandoned) {
    free_slot(slot);
  } else if (slot->state == SlotState::taken) {
    slot->reply = reply;
    slot->state = SlotState::done;
    return slot->caller;
  }
  return NULL;
}

void wake(Latch* latch) {
  if (latch != NULL) SetLatch(latch);
}

ChargeReply lost_reply() {
  return refusal_reply(
      sqlstate(ErrorCode::ledger_unavailable), "the ledger worker ended before it answered",
      "The charge may stand; nothing was released.", "Look at dpmix.ledger, then try again.");
}

// What is read without the lock is a hint only; the lock decides afterwards.
template <class Happened>
void wait_awake(int64 microseconds, Happened happened) {
  const int64 end = steady_microseconds() + microseconds;
  while (!happened() && steady_microseconds() < end) {
    sched_yield();  // the other side may wait for this very processor
  }
}

}  // namespace

ChargeReply refusal_reply(int code, const char* message, const char* detail, const char* hint) {
  ChargeReply reply = {};
  reply.code = code;
  strlcpy(reply.message, message, sizeof reply.message);
  strlcpy(reply.detail, detail, sizeof reply.detail);
  strlcpy(reply.hint, hint, sizeof reply.hint);
  return reply;
}

void ledger_init() {
  DefineCustomIntVariable(
      "dpmix.ledger_idle_timeout", "Time after which a ledger worker without requests ends.",
      "-1: after three seconds, or a minute where slots for workers abound.", &ledger_idle_timeout,
      -1, -1, 24 * 3600 * 1000, PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
  reserve(&piece);
}

void ledger_attach() {
  if (shared != NULL) return;
  if (!attach(&piece)) {
    refuse(ErrorCode::ledger_unavailable, "the privacy ledger is not available",
           "No shared memory is left for it.",
           "Add dpmix to shared_preload_libraries, which sets its memory aside.");
  }
  shared = (LedgerShared*)piece.memory;
}

Submission submit_order(const ChargeOrder& order, Ticket* ticket) {
  ledger_attach();
  Submission submission = {false, false, true};
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  Slot* unused = NULL;
  for (Slot& slot : shared->slots) {
    if (slot.state != SlotState::free) {
      submission.alone = false;
    } else if (unused == NULL) {
      unused = &slot;
    }
  }
  if (unused != NULL) {
    unused->order = order;
    unused->database = MyDatabaseId;
    unused->caller = MyLatch;
    unused->pid = MyProcPid;
    unused->sequence = ++shared->sequence;
    unused->state = SlotState::pending;
    *ticket = {(int)(unused - shared->slots), unused->sequence};
    submission.submitted = true;
  } else {
    take_back_slots();  // for the next look
  }
  const Worker* worker = worker_of_database(MyDatabaseId);
  Latch* latch = submission.submitted && worker != NULL ? worker->latch : NULL;
  LWLockRelease(&shared->lock);
  wake(latch);
  submission.woken = latch != NULL;
  return submission;
}

void expect_reply(const Ticket& ticket) {
  const volatile SlotState* state = &shared->slots[ticket.slot].state;
  const int64 commit = shared->commit_microseconds;
  if (commit < kReplyMicroseconds) {
    wait_awake(kReplyMicroseconds, [=] { return *state == SlotState::done; });
  }
}

Progress collect_reply(const Ticket& ticket, ChargeReply* reply) {
  Progress progress = Progress::in_work;
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  Slot* slot = &shared->slots[ticket.slot];
  if (slot->sequence == ticket.sequence && slot->state == SlotState::pending) {
    progress = Progress::waiting;
  } else if (slot->sequence == ticket.sequence && slot->state == SlotState::done) {
    *reply = slot->reply;
    free_slot(slot);
    progress = Progress::answered;
  } else if (slot->sequence != ticket.sequence || slot->state != SlotState::taken) {
    *reply = lost_reply();  // the slot was taken back
    progress = Progress::answered;
  }
  LWLockRelease(&shared->lock);
  return progress;
}

void leave_slot(const Ticket& ticket) {
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  Slot* slot = &shared->slots[ticket.slot];
  if (slot->sequence == ticket.sequence) leave(slot);
  LWLockRelease(&shared->lock);
}

void wait_for_slot() {
  (void)ConditionVariableTimedSleep(&shared->slot_freed, 1000, PG_WAIT_EXTENSION);
}

void end_wait_for_slot() {
  (void)ConditionVariableCancelSleep();
}

Wake wake_worker(uint64* generation) {
  Wake outcome = Wake::full;
  const int64 now = steady_microseconds();
  Latch* latch = NULL;
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  Worker* worker = worker_of_database(MyDatabaseId);
  if (worker != NULL && worker->latch != NULL) {
    latch = worker->latch;
    outcome = Wake::woken;
  } else if (worker != NULL && now < worker->reserved_at + kStartMicroseconds) {
    outcome = Wake::starting;
  } else if (worker != NULL || (worker = worker_of(0)) != NULL) {
    *worker = {++shared->generation, MyDatabaseId, NULL, now};
    *generation = worker->generation;
    outcome = Wake::reserved;
  }
  LWLockRelease(&shared->lock);
  wake(latch);
  return outcome;
}

void release_worker(uint64 generation) {
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  Worker* worker = worker_of(generation);
  if (worker != NULL && worker->latch == NULL) *worker = {};
  LWLockRelease(&shared->lock);
}

bool enter_worker(uint64 generation) {
  ledger_attach();
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  Worker* worker = worker_of(generation);
  bool mine = worker != NULL && worker->latch == NULL;
  if (mine) worker->latch = MyLatch;
  LWLockRelease(&shared->lock);
  return mine;
}

int take_orders(uint64 generation, ChargeOrder* orders, Ticket* tickets) {
  int count = 0;
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  for (int i = 0; i < kRequestSlots; i++) {
    Slot* slot = &shared->slots[i];
    if (!is_pending(*slot)) continue;
    slot->state = SlotState::taken;
    slot->worker = generation;
    orders[count] = slot->order;
    tickets[count++] = {i, slot->sequence};
  }
  taken_through = shared->sequence;
  LWLockRelease(&shared->lock);
  if (count > 0) comes_soon = steady_microseconds() - answered_at < kOrderMicroseconds;
  return count;
}

void answer_orders(const Ticket* tickets, const ChargeReply* replies, int count) {
  Latch* callers[kRequestSlots];
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  for (int i = 0; i < count; i++) {
    Slot* slot = &shared->slots[tickets[i].slot];
    callers[i] = slot->sequence == tickets[i].sequence ? answer(slot, replies[i]) : NULL;
  }
  LWLockRelease(&shared->lock);
  for (int i = 0; i < count; i++) wake(callers[i]);
  answered_at = steady_microseconds();
}

void expect_orders(int answered, int64 commit_microseconds) {
  const volatile uint64* sequence = &shared->sequence;
  const uint64 all = *sequence + answered;
  const bool alone = all == taken_through + 1;
  shared->commit_microseconds = commit_microseconds;
  if (alone && !comes_soon) return;
  wait_awake(alone ? kOrderMicroseconds : Min(kReplyMicroseconds, commit_microseconds),
             [=] { return *sequence >= all; });
}

int ledger_workers() {
  int count = 0;
  LWLockAcquire(&shared->lock, LW_SHARED);
  for (const Worker& worker : shared->workers) count += worker.latch != NULL;
  LWLockRelease(&shared->lock);
  return count;
}

bool retire_worker(uint64 generation) {
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  bool idle = true;
  for (const Slot& slot : shared->slots) idle = idle && !is_pending(slot);
  if (idle) *worker_of(generation) = {};
  LWLockRelease(&shared->lock);
  return idle;
}

void leave_worker(int, Datum argument) {
  if (shared == NULL) return;
  uint64 generation = DatumGetUInt64(argument);
  const ChargeReply lost = lost_reply();
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  Worker* worker = worker_of(generation);
  if (worker != NULL) {
    for (Slot& slot : shared->slots) {
      if (slot.worker == generation) wake(answer(&slot, lost));
      if (slot.state == SlotState::pending && slot.database == worker->database) {
        wake(slot.caller);  // it launches the next one
      }
    }
    *worker = {};
  }
  LWLockRelease(&shared->lock);
}

}  // namespace dpmix::pg
