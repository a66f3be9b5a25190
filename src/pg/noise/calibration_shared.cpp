#include "pg/noise/calibration_shared.hpp"

#include <type_traits>

#include "pg/border/shared_memory.hpp"

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

// Without it each session has its own calibrations only.
SharedPiece piece = {"dpmix calibrations ", "dpmix_calibrations", sizeof(CalibrationShared)};

CalibrationShared* attached() {
  return attach(&piece) ? (CalibrationShared*)piece.memory : NULL;
}

// The slot of a key; kEntries: it has none. Call under the lock.
uint64 slot_of(const CalibrationShared* shared, const CalibrationKey& key) {
  const uint64 used = Min(shared->published, kEntries);
  for (uint64 i = 0; i < used; i++) {
    if (shared->keys[i] == key) return i;
  }
  return kEntries;
}

}  // namespace

void calibration_shared_init() {
  reserve(&piece);
}

bool find_shared(const CalibrationKey& key, Calibration* calibration) {
  CalibrationShared* shared = attached();
  if (shared == NULL) return false;
  LWLockAcquire(&shared->lock, LW_SHARED);
  const uint64 slot = slot_of(shared, key);
  if (slot < kEntries) *calibration = shared->calibrations[slot];
  LWLockRelease(&shared->lock);
  return slot < kEntries;
}

void publish(const CalibrationKey& key, const Calibration& calibration) {
  CalibrationShared* shared = attached();
  if (shared == NULL) return;
  LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
  if (slot_of(shared, key) == kEntries) {
    const uint64 slot = shared->published++ % kEntries;
    shared->keys[slot] = key;
    shared->calibrations[slot] = calibration;
  }
  LWLockRelease(&shared->lock);
}

}  // namespace dpmix::pg
