#include "pg/border/lingering.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/shared_memory.hpp"
#include "pg/border/steady_clock.hpp"

extern "C" {
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "storage/lock.h"
}

namespace dpmix::pg {
namespace {

constexpr int64 kShortMilliseconds = 3 * 1000, kLongMilliseconds = 60 * 1000;

struct SlotsWanted {
  LWLock lock;
  int64 in_vain_at;  // by the steady clock, which all processes share; 0: never
};

SharedPiece piece = {"dpmix lingering ", "dpmix_lingering", sizeof(SlotsWanted)};

SlotsWanted* wanted() {
  return attach(&piece) ? (SlotsWanted*)piece.memory : NULL;
}

bool slot_was_wanted(int64 now) {
  SlotsWanted* slots = wanted();
  if (slots == NULL) return true;
  LWLockAcquire(&slots->lock, LW_SHARED);
  const int64 at = slots->in_vain_at;
  LWLockRelease(&slots->lock);
  return at != 0 && now - at < kLongMilliseconds * 1000;
}

// Who drops, renames or moves a database locks it against all others, who copies it against those
// that come; they count the sessions in it afterwards. Sessions lock it as they come.
bool is_database_wanted() {
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, MyDatabaseId, 0);
  if (!lock_without_waiting(&tag, RowExclusiveLock)) return true;
  (void)LockRelease(&tag, RowExclusiveLock, true);
  return false;
}

}  // namespace

void lingering_init() {
  reserve(&piece);
}

bool should_end(int64 idle_since, int of_its_kind, int setting) {
  const int64 now = steady_microseconds(), idle = (now - idle_since) / 1000;
  if (setting >= 0 && idle >= setting) return true;
  if (idle < kLingerLook) return false;  // between questions there is nothing to look at
  if (setting < 0 && idle >= kShortMilliseconds) {
    if (idle >= kLongMilliseconds || of_its_kind > max_worker_processes / 8) return true;
    if (slot_was_wanted(now)) return true;
  }
  return is_database_wanted();
}

void note_no_slot() {
  SlotsWanted* slots = wanted();
  if (slots == NULL) return;
  LWLockAcquire(&slots->lock, LW_EXCLUSIVE);
  slots->in_vain_at = steady_microseconds();
  LWLockRelease(&slots->lock);
}

}  // namespace dpmix::pg
