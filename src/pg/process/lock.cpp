#include "pg/process/lock.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/resowner.h"
}

namespace dpmix::pg {
namespace {

// Classes of advisory locks: no user's, which are of classes 1 and 2.
constexpr uint16 kOrders = 0xD9, kQuestions = 0xDA;

bool question_held = false;
LOCKTAG held_question;

LOCKTAG tag_of(uint64 number, uint16 kind = kOrders) {
  LOCKTAG tag;
  SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32)(number >> 32), (uint32)number, kind);
  return tag;
}

// An error in it ends the transaction, and with it the owner.
template <class Work>
void as_whole_transaction(Work work) {
  ResourceOwner current = CurrentResourceOwner;
  CurrentResourceOwner = TopTransactionResourceOwner;
  work();
  CurrentResourceOwner = current;
}

}  // namespace

void take_order_lock(uint64 sequence) {
  const LOCKTAG tag = tag_of(sequence);
  as_whole_transaction([&] { (void)LockAcquire(&tag, ExclusiveLock, false, false); });
}

void release_order_lock(uint64 sequence) {
  const LOCKTAG tag = tag_of(sequence);
  as_whole_transaction([&] { (void)LockRelease(&tag, ExclusiveLock, false); });
}

void wait_while_locking(const Place& place) {
  const LOCKTAG tag = tag_of(place.sequence);
  (void)LockAcquire(&tag, ShareLock, false, false);
  (void)LockRelease(&tag, ShareLock, false);
}

void take_question_lock(uint64 question) {
  if (question_held) return;
  held_question = tag_of(question, kQuestions);
  (void)LockAcquire(&held_question, ExclusiveLock, true, false);
  question_held = true;
}

void release_question_lock() {
  if (!question_held) return;
  question_held = false;
  (void)LockRelease(&held_question, ExclusiveLock, true);
}

}  // namespace dpmix::pg
