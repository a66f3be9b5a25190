#include "pg/ledger/one_writer.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/lock.h"
}

namespace dpmix::pg {
namespace {

constexpr int kTries = 2500;
constexpr long kPause =
    4000;  // microseconds; ten seconds in all, since a loaded machine takes its time

// An advisory lock, which a process keeps through errors until it ends; of a kind that no SQL
// function takes (those have 1 and 2).
LOCKTAG writer_lock() {
  constexpr uint16 kLockKind = 0xD9;
  constexpr uint32 kLedger = 0x64706d78;  // dpmx
  LOCKTAG tag;
  SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, kLedger, 0, kLockKind);
  return tag;
}

}  // namespace

bool become_writer() {
  const LOCKTAG tag = writer_lock();
  for (int i = 0; i < kTries; i++) {
    if (LockAcquire(&tag, ExclusiveLock, true, true) != LOCKACQUIRE_NOT_AVAIL) return true;
    CHECK_FOR_INTERRUPTS();
    pg_usleep(kPause);
  }
  return false;
}

void resign_writer() {
  const LOCKTAG tag = writer_lock();
  (void)LockRelease(&tag, ExclusiveLock, true);
}

}  // namespace dpmix::pg
