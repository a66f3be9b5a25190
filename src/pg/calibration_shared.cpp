#include "pg/calibration_shared.hpp"

#include <type_traits>

#include "pg/build_id.hpp"
#include "pg/ledger_shared.hpp"
#include "pg/shared_memory.hpp"

extern "C" {
#include "storage/lwlock.h"
#include "storage/shmem.h"
}

namespace dpmix::pg {
namespace {

constexpr uint64 kEntries = 128;

struct CalibrationShared {
  LWLock lock;
  uint64 published;  // so many ever; entry n is in slot n % kEntries
  CalibrationKey keys[kEntries];
  Calibration calibrations[kEntries];
};
static_assert(std::is_trivially_copyable_v<CalibrationKey> &&
              std::is_trivially_copyable_v<Calibration>);
static_assert(sizeof(CalibrationShared) <= 24 * 1024, "must fit the slack, beside the ledger");

CalibrationShared* shared = NULL;
bool looked = false;

CalibrationShared* find_or_make() {
  char name[48] = "dpmix calibrations ";  // PostgreSQL compares so many bytes
  const size_t prefix = strlen(name);
  if (!build_id(name + prefix, sizeof name - prefix)) return NULL;
  // The ledger needs its memory more.
  ledger_attach();
  bool found;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  CalibrationShared* memory =
      (CalibrationShared*)ShmemInitStruct(name, sizeof(CalibrationShared), &found);
  if (!found) {
    memset((void*)memory, 0, sizeof(CalibrationShared));
    LWLockInitialize(&memory->lock, LWLockNewTrancheId());
  }
  LWLockRelease(AddinShmemInitLock);
  LWLockRegisterTranche(memory->lock.tranche, "dpmix_calibrations");
  return memory;
}

// False: each session has its own calibrations only.
bool attach() {
  if (looked) return shared != NULL;
  looked = true;
  MemoryContext context = CurrentMemoryContext;
  PG_TRY();
  { shared = find_or_make(); }
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
  return shared != NULL;
}

// Under the lock. kEntries: not there.
uint64 slot_of(const CalibrationKey& key) {
  const uint64 used = Min(shared->published, kEntries);
  for (uint64 i = 0; i < used; i++) {
    if (shared->keys[i] == key) return i;
  }
  return kEntries;
}

}  // namespace

void calibration_shared_init() {
  reserve_shared_memory(sizeof(CalibrationShared));
}

bool find_shared(const CalibrationKey& key, Calibration* calibration) {
  if (!attach()) return false;
  LWLockAcquire(&shared->lock, LW_SHARED);
  const uint64 slot = slot_of(key);
  if (slot < kEntries) *calibration = shared->calibrations[slot];
  LWLockRelease(&shared->lock);
  return slot < kEntries;
}

void publish(const CalibrationKey& key, const Calibration& calibration) {
  if (!attach()) return;
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  if (slot_of(key) == kEntries) {
    const uint64 slot = shared->published++ % kEntries;
    shared->keys[slot] = key;
    shared->calibrations[slot] = calibration;
  }
  LWLockRelease(&shared->lock);
}

}  // namespace dpmix::pg
