#include "pg/border/optional_shared.hpp"

#include "pg/border/build_id.hpp"
#include "pg/ledger/request_slots.hpp"
#include "pg/border/shared_memory.hpp"

extern "C" {
#include "storage/shmem.h"
}

namespace dpmix::pg {
namespace {

LWLock* find_or_make(const OptionalShared* shared) {
  char name[48];  // PostgreSQL compares so many bytes
  const size_t prefix = strlcpy(name, shared->name, sizeof name);
  if (!build_id(name + prefix, sizeof name - prefix)) return NULL;
  ledger_attach();  // needs its memory more
  bool found;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  LWLock* memory = (LWLock*)ShmemInitStruct(name, shared->size, &found);
  if (!found) {
    memset((void*)memory, 0, shared->size);
    LWLockInitialize(memory, LWLockNewTrancheId());
  }
  LWLockRelease(AddinShmemInitLock);
  LWLockRegisterTranche(memory->tranche, shared->tranche);
  return memory;
}

}  // namespace

void reserve(const OptionalShared& shared) {
  reserve_shared_memory(shared.size);
}

bool attach(OptionalShared* shared) {
  if (shared->looked) return shared->memory != NULL;
  shared->looked = true;
  MemoryContext context = CurrentMemoryContext;
  PG_TRY();
  { shared->memory = find_or_make(shared); }
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
  return shared->memory != NULL;
}

}  // namespace dpmix::pg
