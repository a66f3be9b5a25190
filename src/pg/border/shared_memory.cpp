#include "pg/border/shared_memory.hpp"

#include "pg/border/build_id.hpp"

extern "C" {
#include "storage/ipc.h"
#include "storage/shmem.h"
}

namespace dpmix::pg {
namespace {

SharedPiece* first = NULL;
Size reserved = 0;
shmem_request_hook_type previous_request_hook = NULL;

void request_memory() {
  if (previous_request_hook != NULL) previous_request_hook();
  RequestAddinShmemSpace(reserved);
}

LWLock* find_or_make(const SharedPiece* piece) {
  char name[48];  // PostgreSQL compares so many bytes
  const size_t prefix = strlcpy(name, piece->name, sizeof name);
  if (!build_id(name + prefix, sizeof name - prefix)) return NULL;
  bool found;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  LWLock* memory = (LWLock*)ShmemInitStruct(name, piece->size, &found);
  if (!found) {
    memset((void*)memory, 0, piece->size);
    LWLockInitialize(memory, LWLockNewTrancheId());
    if (piece->begin != NULL) piece->begin(memory);
  }
  LWLockRelease(AddinShmemInitLock);
  LWLockRegisterTranche(memory->tranche, piece->tranche);
  return memory;
}

}  // namespace

void reserve(SharedPiece* piece) {
  if (first == NULL) first = piece;
  if (!process_shared_preload_libraries_in_progress) return;
  if (reserved == 0) {
    previous_request_hook = shmem_request_hook;
    shmem_request_hook = request_memory;
  }
  reserved += MAXALIGN(piece->size);
}

bool attach(SharedPiece* piece) {
  if (piece->looked) return piece->memory != NULL;
  piece->looked = true;
  if (piece != first) (void)attach(first);
  MemoryContext context = CurrentMemoryContext;
  PG_TRY();
  { piece->memory = find_or_make(piece); }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    FlushErrorState();
    if (LWLockHeldByMe(AddinShmemInitLock)) {
      // The error let go of the lock's hold on interrupts, and the release will do so again.
      InterruptHoldoffCount = InterruptHoldoffCount + 1;
      LWLockRelease(AddinShmemInitLock);
    }
  }
  PG_END_TRY();
  return piece->memory != NULL;
}

}  // namespace dpmix::pg
