#include "pg/ledger/one_writer.hpp"

#include "pg/border/statement.hpp"

extern "C" {
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/snapmgr.h"
}

namespace dpmix::pg {
namespace {

// Advisory locks, which a process keeps through errors until it ends; of a kind that no SQL
// function takes (those have 1 and 2).
constexpr uint16 kLockKind = 0xD9;
constexpr uint32 kLedger = 0x64706d78;  // dpmx
enum class Role : uint32 { worker, writer };

constexpr int kTries = 2500;
constexpr long kPause =
    4000;  // microseconds; ten seconds in all, since a loaded machine takes its time

LOCKTAG tag_of(Role role) {
  LOCKTAG tag;
  SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, kLedger, (uint32)role, kLockKind);
  return tag;
}

bool take(Role role, LOCKMODE mode) {
  const LOCKTAG tag = tag_of(role);
  return LockAcquire(&tag, mode, true, true) != LOCKACQUIRE_NOT_AVAIL;
}

// Workers of 0.2.0 and before take no such lock.
Statement older_workers = {
    "SELECT FROM pg_catalog.pg_stat_get_activity(NULL) a "
    "WHERE a.datid = $1 AND a.backend_type = 'dpmix ledger' AND a.pid <> "
    "pg_catalog.pg_backend_pid() "
    "AND NOT EXISTS (SELECT FROM pg_catalog.pg_locks l WHERE l.pid = a.pid "
    "                AND l.locktype = 'advisory' AND l.objsubid = $2)",
    2,
    {OIDOID, INT2OID},
    NULL};

bool is_older_worker_there() {
  Datum values[] = {ObjectIdGetDatum(MyDatabaseId), Int16GetDatum((int16)kLockKind)};
  MemoryContext context = CurrentMemoryContext;  // the commit leaves another
  StartTransactionCommand();
  PushActiveSnapshot(GetTransactionSnapshot());
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "could not connect to SPI");
  bool there = read_rows(older_workers, values) > 0;
  SPI_finish();
  PopActiveSnapshot();
  CommitTransactionCommand();
  MemoryContextSwitchTo(context);
  return there;
}

}  // namespace

bool become_writer() {
  (void)take(Role::worker, ShareLock);
  bool writer = false;
  for (int i = 0; i < kTries; i++) {
    writer = writer || take(Role::writer, ExclusiveLock);
    if (writer && !is_older_worker_there()) return true;
    CHECK_FOR_INTERRUPTS();
    pg_usleep(kPause);
  }
  return false;
}

void resign_writer() {
  const LOCKTAG tag = tag_of(Role::writer);
  (void)LockRelease(&tag, ExclusiveLock, true);
}

}  // namespace dpmix::pg
