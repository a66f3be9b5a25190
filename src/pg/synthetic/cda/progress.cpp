#include "pg/synthetic/cda/progress.hpp"

#include "pg/border/result_rows.hpp"
#include "pg/border/shared_memory.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/process/worker.hpp"

extern "C" {
#include "catalog/pg_authid.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/acl.h"

PG_FUNCTION_INFO_V1(dpmix_cda_progress);
}

namespace dpmix::pg {
namespace {

constexpr int kSlots = 32;

struct Slot {  // all but written is set and read under the lock
  int pid;     // 0: free
  Oid database, relation, role;
  TimestampTz started;
  int64 rows;
  volatile int64 written;  // written by its owner, without the lock
};

struct ProgressShared {
  LWLock lock;
  Slot slots[kSlots];
};
static_assert(sizeof(ProgressShared) <= 2 * 1024, "must fit the slack, beside the ledger");

// Without it calls go on unseen.
SharedPiece piece = {"dpmix cda progress ", "dpmix_cda_progress", sizeof(ProgressShared)};

ProgressShared* attached() {
  return attach(&piece) ? (ProgressShared*)piece.memory : NULL;
}

}  // namespace

struct CdaProgress {  // lives in the call's memory, and is over when that goes
  MemoryContextCallback gone;
  Slot* slot;
};

namespace {

CdaProgress* current = NULL;

void give_back() {
  if (current == NULL) return;
  ProgressShared* shared = attached();
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  current->slot->pid = 0;
  LWLockRelease(&shared->lock);
  current = NULL;
}

void give_back_of(void* progress) {
  if (current == progress) give_back();
}

void give_back_at_exit(int, Datum) {
  give_back();
}

bool is_alive(const Slot& slot) {
  if (slot.pid == 0) return false;
  const PGPROC* process = BackendPidGetProc(slot.pid);
  return process != NULL && process->databaseId == slot.database;
}

bool may_see(const Slot& slot) {
  if (has_privs_of_role(GetUserId(), slot.role)) return true;
  if (has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS)) return true;
  return owns_relation(slot.relation);
}

}  // namespace

void cda_progress_init() {
  reserve(&piece);
}

CdaProgress* begin_cda_progress(Oid relation, int64 rows) {
  ProgressShared* shared = attached();
  if (current != NULL || shared == NULL) return NULL;
  CdaProgress* progress = (CdaProgress*)MemoryContextAllocExtended(
      CurrentMemoryContext, sizeof(CdaProgress), MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO);
  if (progress == NULL) return NULL;
  static bool at_exit = false;
  if (!at_exit) before_shmem_exit(give_back_at_exit, (Datum)0);
  at_exit = true;
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  for (Slot& slot : shared->slots) {
    if (slot.pid != asking_pid() && is_alive(slot)) continue;
    slot = {asking_pid(), MyDatabaseId, relation, GetUserId(), GetCurrentTimestamp(), rows, 0};
    progress->slot = &slot;
    break;
  }
  LWLockRelease(&shared->lock);
  if (progress->slot == NULL) return NULL;  // all are in use
  progress->gone.func = give_back_of;
  progress->gone.arg = progress;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, &progress->gone);
  current = progress;
  return progress;
}

void report_cda_rows(CdaProgress* progress, int64 written) {
  if (progress != NULL) progress->slot->written = written;
}

void end_cda_progress(CdaProgress* progress) {
  if (progress != NULL) give_back_of(progress);
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_cda_progress(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_rows(fcinfo);
  ProgressShared* shared = attached();
  if (shared == NULL) return (Datum)0;
  Slot slots[kSlots];
  LWLockAcquire(&shared->lock, LW_SHARED);
  memcpy((void*)slots, (const void*)shared->slots, sizeof slots);
  LWLockRelease(&shared->lock);
  for (const Slot& slot : slots) {
    if (slot.database != MyDatabaseId || !is_alive(slot) || !may_see(slot)) continue;
    add_row(rows, {slot.pid, slot.relation, slot.role, (int64)slot.written, slot.rows,
                   time_value(slot.started)});
  }
  return (Datum)0;
}
