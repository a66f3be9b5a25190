#include "pg/process/lock.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/lock.h"
}

namespace dpmix::pg {
namespace {

constexpr uint16 kClass = 0xD9;  // of advisory locks: no user's, which are of classes 1 and 2

LOCKTAG tag_of(uint64 sequence) {
  LOCKTAG tag;
  SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32)(sequence >> 32), (uint32)sequence, kClass);
  return tag;
}

}  // namespace

void take_order_lock(uint64 sequence) {
  const LOCKTAG tag = tag_of(sequence);
  (void)LockAcquire(&tag, ExclusiveLock, false, false);
}

void release_order_lock(uint64 sequence) {
  const LOCKTAG tag = tag_of(sequence);
  (void)LockRelease(&tag, ExclusiveLock, false);
}

void wait_while_locking(const Place& place) {
  const LOCKTAG tag = tag_of(place.sequence);
  (void)LockAcquire(&tag, ShareLock, false, false);
  (void)LockRelease(&tag, ShareLock, false);
}

}  // namespace dpmix::pg
