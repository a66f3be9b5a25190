#include "pg/process/pool.hpp"

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/shared_memory.hpp"

extern "C" {
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"
}

namespace dpmix::pg {
namespace {

constexpr int kPlaces = 64;
constexpr int kWaitMilliseconds = 10 * 1000, kLookMilliseconds = 100;

int release_processes = 4;  // of one database
int release_idle_timeout = 3000;

struct SharedPlace {
  uint64 generation;  // 0: empty
  Oid database;
  pid_t pid;
  Latch* latch;      // NULL: launched, not here yet
  uint64 sequence;   // 0: idle
  dsm_handle order;  // DSM_HANDLE_INVALID: reserved, nothing handed over
  volatile uint64 cancelled;
};

struct Pool {
  LWLock lock;                // first: SharedPiece
  ConditionVariable changed;  // a process came, or is free
  uint64 sequence, generation;
  SharedPlace places[kPlaces];
};

void begin_pool(LWLock* memory) {
  ConditionVariableInit(&((Pool*)memory)->changed);
}

SharedPiece memory = {"dpmix releases ", "dpmix_releases", sizeof(Pool), begin_pool};
SharedPlace* own = NULL;      // of a process
volatile uint64 at_work = 0;  // its order

Pool* pool() {
  return (Pool*)memory.memory;
}

[[noreturn]] void refuse_unavailable(const char* detail, const char* hint) {
  refuse(ErrorCode::ledger_unavailable, "no process is free for this release", detail, hint);
}

void attach_pool() {
  if (!attach(&memory)) {
    refuse_unavailable("No shared memory is left for the list of processes.",
                       "Add dpmix to shared_preload_libraries, which sets its memory aside.");
  }
}

void empty(SharedPlace* place) {
  memset((void*)place, 0, sizeof *place);
  ConditionVariableBroadcast(&pool()->changed);
}

enum class Reserved { idle, launched, none };

Reserved reserve_place(Place* hold, uint64* generation) {
  Reserved outcome = Reserved::none;
  int of_database = 0;
  SharedPlace *idle = NULL, *unused = NULL;
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  for (SharedPlace& place : pool()->places) {
    if (place.generation == 0) {
      unused = unused != NULL ? unused : &place;
    } else if (place.database == MyDatabaseId) {
      of_database++;
      if (place.sequence == 0 && place.latch != NULL) idle = idle != NULL ? idle : &place;
    }
  }
  SharedPlace* taken = idle;
  if (idle != NULL) {
    outcome = Reserved::idle;
  } else if (unused != NULL && of_database < release_processes) {
    outcome = Reserved::launched;
    taken = unused;
    taken->generation = *generation = ++pool()->generation;
    taken->database = MyDatabaseId;
  }
  if (taken != NULL) {
    taken->sequence = ++pool()->sequence;
    taken->order = DSM_HANDLE_INVALID;
    *hold = {(int)(taken - pool()->places), taken->sequence};
  }
  LWLockRelease(&pool()->lock);
  return outcome;
}

// For a place whose process never came.
void give_up_place(const Place& hold) {
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  SharedPlace* place = &pool()->places[hold.index];
  if (place->sequence == hold.sequence && place->latch == NULL) empty(place);
  LWLockRelease(&pool()->lock);
}

bool has_come(const Place& hold) {
  LWLockAcquire(&pool()->lock, LW_SHARED);
  const bool come = pool()->places[hold.index].latch != NULL;
  LWLockRelease(&pool()->lock);
  return come;
}

// False: no slot is free for a process.
bool launch_process(const Place& hold, uint64 generation) {
  BackgroundWorker worker;
  memset(&worker, 0, sizeof worker);
  worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
  worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
  worker.bgw_restart_time = BGW_NEVER_RESTART;
  strlcpy(worker.bgw_library_name, "dpmix", sizeof worker.bgw_library_name);
  strlcpy(worker.bgw_function_name, "dpmix_release_main", sizeof worker.bgw_function_name);
  snprintf(worker.bgw_name, sizeof worker.bgw_name, "dpmix release in database %u", MyDatabaseId);
  strlcpy(worker.bgw_type, "dpmix release", sizeof worker.bgw_type);
  worker.bgw_main_arg = ObjectIdGetDatum(MyDatabaseId);
  worker.bgw_notify_pid = MyProcPid;
  memcpy(worker.bgw_extra, &generation, sizeof generation);
  BackgroundWorkerHandle* handle = NULL;
  if (!RegisterDynamicBackgroundWorker(&worker, &handle)) {
    give_up_place(hold);
    return false;
  }
  pid_t pid;
  while (!has_come(hold)) {
    if (GetBackgroundWorkerPid(handle, &pid) == BGWH_STOPPED) {
      give_up_place(hold);
      refuse_unavailable("The process did not start.", "The server log says why.");
    }
    (void)ConditionVariableTimedSleep(&pool()->changed, kLookMilliseconds, PG_WAIT_EXTENSION);
  }
  return true;
}

}  // namespace

void release_pool_init() {
  DefineCustomIntVariable("dpmix.release_processes",
                          "Number of releases of one database that can be made at the same time.",
                          "Each takes one of max_worker_processes.", &release_processes, 4, 1,
                          kPlaces, PGC_SIGHUP, 0, NULL, NULL, NULL);
  DefineCustomIntVariable("dpmix.release_idle_timeout",
                          "Time after which a release process without work ends.",
                          "DROP DATABASE waits up to five seconds for it.", &release_idle_timeout,
                          3000, 0, 24 * 3600 * 1000, PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
  reserve(&memory);
}

Place reserve_process() {
  attach_pool();
  const TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), kWaitMilliseconds);
  for (;;) {
    Place hold = {};
    uint64 generation = 0;
    const Reserved outcome = reserve_place(&hold, &generation);
    if (outcome == Reserved::idle ||
        (outcome == Reserved::launched && launch_process(hold, generation))) {
      (void)ConditionVariableCancelSleep();
      return hold;
    }
    if (GetCurrentTimestamp() >= end) break;
    (void)ConditionVariableTimedSleep(&pool()->changed, kLookMilliseconds, PG_WAIT_EXTENSION);
  }
  (void)ConditionVariableCancelSleep();
  refuse_unavailable("All processes for releases are at work.",
                     "Try again, or raise dpmix.release_processes and max_worker_processes.");
}

void submit_order(const Place& hold, dsm_handle order) {
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  SharedPlace* place = &pool()->places[hold.index];
  const bool there = place->sequence == hold.sequence;
  if (there) place->order = order;
  Latch* latch = place->latch;
  LWLockRelease(&pool()->lock);
  if (!there) {
    refuse_unavailable("The process ended before it began.", "Nothing was charged; try again.");
  }
  SetLatch(latch);
}

bool is_at_work(const Place& hold) {
  LWLockAcquire(&pool()->lock, LW_SHARED);
  const bool there = pool()->places[hold.index].sequence == hold.sequence;
  LWLockRelease(&pool()->lock);
  return there;
}

void leave_process(const Place& hold) {
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  SharedPlace* place = &pool()->places[hold.index];
  if (place->sequence == hold.sequence) {
    if (place->order == DSM_HANDLE_INVALID) {
      place->sequence = 0;  // idle, or will be when it comes
      ConditionVariableBroadcast(&pool()->changed);
    } else {
      place->cancelled = hold.sequence;
      (void)kill(place->pid, SIGINT);
    }
  }
  LWLockRelease(&pool()->lock);
}

bool enter_pool(uint64 generation) {
  if (!attach(&memory)) return false;
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  for (SharedPlace& place : pool()->places) {
    if (place.generation != generation || place.latch != NULL) continue;
    own = &place;
    own->latch = MyLatch;
    own->pid = MyProcPid;
    ConditionVariableBroadcast(&pool()->changed);
  }
  LWLockRelease(&pool()->lock);
  return own != NULL;
}

dsm_handle next_order() {
  const TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), release_idle_timeout);
  for (;;) {
    CHECK_FOR_INTERRUPTS();
    const long left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end);
    LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
    const dsm_handle order = own->sequence != 0 ? own->order : DSM_HANDLE_INVALID;
    const bool over = own->sequence == 0 && left <= 0;
    if (order != DSM_HANDLE_INVALID) at_work = own->sequence;
    if (over) {
      empty(own);
      own = NULL;
    }
    LWLockRelease(&pool()->lock);
    if (over || order != DSM_HANDLE_INVALID) return order;
    // Reserved, but not handed over: that takes no time.
    (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, Max(left, 1L),
                    PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
  }
}

void finish_order() {
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  at_work = 0;
  own->sequence = 0;
  own->order = DSM_HANDLE_INVALID;
  ConditionVariableBroadcast(&pool()->changed);
  LWLockRelease(&pool()->lock);
}

uint64 order_at_work() {
  return at_work;
}

bool is_order_cancelled() {
  return own != NULL && at_work != 0 && own->cancelled == at_work;
}

void leave_pool(int, Datum) {
  if (own == NULL) return;
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  empty(own);
  own = NULL;
  LWLockRelease(&pool()->lock);
}

}  // namespace dpmix::pg
