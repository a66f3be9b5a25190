#include "pg/process/pool.hpp"

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/lingering.hpp"
#include "pg/border/shared_memory.hpp"
#include "pg/border/steady_clock.hpp"
#include "pg/process/turns.hpp"

extern "C" {
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/guc.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"
}

namespace dpmix::pg {
namespace {

constexpr int kWaitMilliseconds = 10 * 1000;
// A process that has not come by then, or an order that was not handed over, has lost its place: it
// finds its number stale.
constexpr int kStaleMilliseconds = 10 * 1000;

int release_processes = 4;  // at most, for one database
int release_idle_timeout = -1;

void begin_pool(LWLock* memory) {
  ConditionVariableInit(&((Pool*)memory)->changed);
}

SharedPiece memory = {"dpmix releases ", "dpmix_releases", sizeof(Pool), begin_pool};
SharedPlace* own = NULL;      // a process's own place
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

void end_hold(SharedPlace* place) {
  if (!place->launched) return empty(place);
  place->sequence = 0;  // idle, or will be when it comes
  place->order = DSM_HANDLE_INVALID;
  ConditionVariableBroadcast(&pool()->changed);
}

bool is_stale(const SharedPlace& place, TimestampTz now) {
  return TimestampDifferenceExceeds(place.since, now, kStaleMilliseconds);
}

// Reserved, but nothing handed over, which takes no time: by one that is gone, that stands still,
// or that reserves another, for a session makes one release at a time.
bool is_left(const SharedPlace& place, TimestampTz now) {
  if (place.sequence == 0 || place.order != DSM_HANDLE_INVALID) return false;
  return place.session == MyProc || BackendPidGetProc(place.caller) != place.session ||
         is_stale(place, now);
}

void take_back(TimestampTz now) {
  for (SharedPlace& place : pool()->places) {
    if (place.generation == 0 || place.database != MyDatabaseId) continue;
    if (is_left(place, now)) {
      end_hold(&place);
    } else if (place.latch == NULL && place.sequence == 0 && is_stale(place, now)) {
      empty(&place);
    }
  }
}

// A place that may be taken; NULL: there is none for this role now.
SharedPlace* free_place(Oid role, TimestampTz now) {
  int of_database = 0;
  SharedPlace *idle = NULL, *unused = NULL;
  for (SharedPlace& place : pool()->places) {
    if (place.generation == 0) {
      unused = unused != NULL ? unused : &place;
    } else if (place.database == MyDatabaseId) {
      of_database++;
      if (place.sequence == 0 && place.latch != NULL) idle = idle != NULL ? idle : &place;
    }
  }
  if (is_others_turn(pool(), release_processes, role, now)) return NULL;
  return idle != NULL ? idle : of_database < release_processes ? unused : NULL;
}

// False: none is free. generation: of a process to be launched; 0: it is there.
bool reserve_place(Place* hold, uint64* generation) {
  const TimestampTz now = GetCurrentTimestamp();
  const Oid role = GetOuterUserId();
  *generation = 0;
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  take_back(now);
  SharedPlace* taken = free_place(role, now);
  note_wish(pool(), role, taken == NULL, now);
  if (taken != NULL) {
    if (taken->generation == 0) {
      taken->generation = *generation = ++pool()->generation;
      taken->database = MyDatabaseId;
    }
    taken->since = now;
    taken->sequence = ++pool()->sequence;
    taken->caller = MyProcPid;
    taken->session = MyProc;
    taken->role = role;
    taken->order = DSM_HANDLE_INVALID;
    *hold = {(int)(taken - pool()->places), taken->sequence};
  }
  LWLockRelease(&pool()->lock);
  return taken != NULL;
}

// Gives up a place whose process never came.
void give_up_place(Place* hold) {
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  SharedPlace* place = &pool()->places[hold->index];
  if (place->sequence == hold->sequence && place->latch == NULL) empty(place);
  LWLockRelease(&pool()->lock);
  *hold = {};
}

void note_launched(const Place& hold) {
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  SharedPlace* place = &pool()->places[hold.index];
  if (place->sequence == hold.sequence) place->launched = true;
  LWLockRelease(&pool()->lock);
}

enum class Coming { not_yet, here, lost };

Coming look_for_process(const Place& hold) {
  LWLockAcquire(&pool()->lock, LW_SHARED);
  const SharedPlace& place = pool()->places[hold.index];
  const Coming coming = place.sequence != hold.sequence ? Coming::lost
                        : place.latch != NULL           ? Coming::here
                                                        : Coming::not_yet;
  LWLockRelease(&pool()->lock);
  return coming;
}

BackgroundWorkerHandle* launch_process(uint64 generation) {  // NULL: no slot is free for a process
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
  return RegisterDynamicBackgroundWorker(&worker, &handle) ? handle : NULL;
}

// False: it was not to be.
bool await_process(Place* hold, BackgroundWorkerHandle* handle) {
  pid_t pid;
  for (;;) {
    const Coming coming = look_for_process(*hold);
    if (coming == Coming::here) return true;
    if (coming == Coming::lost) {
      *hold = {};
      return false;
    }
    if (GetBackgroundWorkerPid(handle, &pid) == BGWH_STOPPED) {
      give_up_place(hold);
      refuse_unavailable("The process did not start.", "The server log says why.");
    }
    (void)ConditionVariableTimedSleep(&pool()->changed, kLookMilliseconds, PG_WAIT_EXTENSION);
  }
}

// False: no process is to be had now.
bool try_to_reserve(Place* hold) {
  uint64 generation;
  if (!reserve_place(hold, &generation)) return false;
  DPMIX_FAULT("pool.reserved");
  if (generation == 0) return true;
  BackgroundWorkerHandle* handle = launch_process(generation);
  if (handle == NULL) {
    note_no_slot();
    give_up_place(hold);
    return false;
  }
  note_launched(*hold);
  return await_process(hold, handle);
}

}  // namespace

void release_pool_init() {
  DefineCustomIntVariable("dpmix.release_processes",
                          "Number of releases of one database that can be made at the same time.",
                          "Each takes one of max_worker_processes.", &release_processes, 4, 1,
                          kPlaces, PGC_SIGHUP, 0, NULL, NULL, NULL);
  DefineCustomIntVariable(
      "dpmix.release_idle_timeout", "Time after which a release process without work ends.",
      "-1: after three seconds, or a minute where slots for workers abound.", &release_idle_timeout,
      -1, -1, 24 * 3600 * 1000, PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
  reserve(&memory);
}

void reserve_process(Place* hold) {
  attach_pool();
  const TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), kWaitMilliseconds);
  bool reserved;
  while (!(reserved = try_to_reserve(hold)) && GetCurrentTimestamp() < end) {
    (void)ConditionVariableTimedSleep(&pool()->changed, kLookMilliseconds, PG_WAIT_EXTENSION);
  }
  (void)ConditionVariableCancelSleep();
  if (reserved) return;
  refuse_unavailable("All processes for releases are at work.",
                     "Try again, or raise dpmix.release_processes and max_worker_processes.");
}

void submit_order(const Place& hold, dsm_handle order) {
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  SharedPlace* place = &pool()->places[hold.index];
  const bool there = place->sequence == hold.sequence && place->latch != NULL;
  if (there) {
    place->order = order;
    SetLatch(place->latch);
  }
  LWLockRelease(&pool()->lock);
  if (!there) {
    refuse_unavailable("The process ended before it began.", "Nothing was charged; try again.");
  }
}

bool is_at_work(const Place& hold) {
  LWLockAcquire(&pool()->lock, LW_SHARED);
  const bool there = pool()->places[hold.index].sequence == hold.sequence;
  LWLockRelease(&pool()->lock);
  return there;
}

void leave_process(Place* hold) {
  if (hold->sequence == 0) return;
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  SharedPlace* place = &pool()->places[hold->index];
  if (place->sequence == hold->sequence) {
    if (place->order == DSM_HANDLE_INVALID) {
      end_hold(place);
    } else {
      place->cancelled = hold->sequence;
      (void)kill(place->pid, SIGINT);
    }
  }
  LWLockRelease(&pool()->lock);
  *hold = {};
}

bool enter_pool(uint64 generation) {
  if (!attach(&memory)) return false;
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  for (SharedPlace& place : pool()->places) {
    if (place.generation != generation || place.latch != NULL) continue;
    own = &place;
    own->launched = true;
    own->latch = MyLatch;
    own->pid = MyProcPid;
    ConditionVariableBroadcast(&pool()->changed);
  }
  LWLockRelease(&pool()->lock);
  return own != NULL;
}

namespace {

int processes() {
  int count = 0;
  for (const SharedPlace& place : pool()->places) count += place.latch != NULL;
  return count;
}

// One look. False: there is nothing to do yet.
bool look_for_order(int64 idle_since, dsm_handle* order) {
  const TimestampTz now = GetCurrentTimestamp();
  *order = DSM_HANDLE_INVALID;
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  if (is_left(*own, now)) end_hold(own);
  if (own->sequence != 0 && own->cancelled == own->sequence) end_hold(own);
  const bool over = own->sequence == 0 && should_end(idle_since, processes(), release_idle_timeout);
  if (own->sequence != 0) *order = own->order;
  if (*order != DSM_HANDLE_INVALID) at_work = own->sequence;
  if (over) {
    empty(own);
    own = NULL;
  }
  LWLockRelease(&pool()->lock);
  return over || *order != DSM_HANDLE_INVALID;
}

}  // namespace

dsm_handle next_order() {
  const int64 idle_since = steady_microseconds();
  dsm_handle order;
  for (;;) {
    CHECK_FOR_INTERRUPTS();
    if (look_for_order(idle_since, &order)) return order;
    (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
                    linger_look(release_idle_timeout), PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
  }
}

void finish_order() {
  LWLockAcquire(&pool()->lock, LW_EXCLUSIVE);
  at_work = 0;
  end_hold(own);
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
