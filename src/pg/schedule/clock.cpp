// Three kinds of processes, none of which stays in a database: the clock itself is connected to
// none; each time it sends one to each database, to look who waits; that one sends one for each
// role with something due, which runs it, one schedule after the other. So what hangs, in a trigger
// of a result table, stops schedules of its own role alone.
#include "pg/schedule/clock.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/lingering.hpp"
#include "pg/schedule/run.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"
#include "utils/varlena.h"
#include "utils/wait_event.h"

PGDLLEXPORT void dpmix_clock_main(Datum);
PGDLLEXPORT void dpmix_due_main(Datum);
}

namespace dpmix::pg {
namespace {

char* databases = NULL;
int every = 60000;  // milliseconds

struct Errand {
  char database[NAMEDATALEN];
  Oid owner;  // whose schedules; InvalidOid: look who waits
};
static_assert(sizeof(Errand) <= BGW_EXTRALEN, "an errand fits a worker");

BackgroundWorker new_worker(const char* function, const char* type) {
  BackgroundWorker worker;
  memset(&worker, 0, sizeof worker);
  worker.bgw_flags = BGWORKER_SHMEM_ACCESS;
  worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
  worker.bgw_restart_time = BGW_NEVER_RESTART;
  strlcpy(worker.bgw_library_name, "dpmix", sizeof worker.bgw_library_name);
  strlcpy(worker.bgw_function_name, function, sizeof worker.bgw_function_name);
  strlcpy(worker.bgw_type, type, sizeof worker.bgw_type);
  strlcpy(worker.bgw_name, type, sizeof worker.bgw_name);
  return worker;
}

// Where no slot is free, the next time will do.
void send(const Errand& errand) {
  BackgroundWorker worker = new_worker("dpmix_due_main", "dpmix schedules");
  worker.bgw_flags |= BGWORKER_BACKEND_DATABASE_CONNECTION;
  snprintf(worker.bgw_name, sizeof worker.bgw_name, "dpmix schedules in %s", errand.database);
  memcpy(worker.bgw_extra, &errand, sizeof errand);
  if (!RegisterDynamicBackgroundWorker(&worker, NULL)) note_no_slot();
}

List* named_databases() {
  List* names = NIL;
  (void)SplitIdentifierString(pstrdup(databases), ',', &names);  // checked when it was set
  return names;
}

bool check_databases(char** text, void**, GucSource) {
  List* names = NIL;
  if (SplitIdentifierString(pstrdup(*text), ',', &names)) return true;
  GUC_check_errdetail("It is a list of databases, with commas in between.");
  return false;
}

void send_to_databases() {
  MemoryContext context =
      AllocSetContextCreate(TopMemoryContext, "dpmix clock", ALLOCSET_SMALL_SIZES);
  MemoryContext before = MemoryContextSwitchTo(context);
  ListCell* cell;
  foreach (cell, named_databases()) {
    Errand errand = {};
    strlcpy(errand.database, (const char*)lfirst(cell), sizeof errand.database);
    send(errand);
  }
  MemoryContextSwitchTo(before);
  MemoryContextDelete(context);
}

void begin_transaction() {
  SetCurrentStatementStartTimestamp();
  StartTransactionCommand();
}

// body: nothing with a destructor.
template <class Body>
void in_transaction(const Body& body) {
  begin_transaction();
  PushActiveSnapshot(GetTransactionSnapshot());
  body();
  PopActiveSnapshot();
  CommitTransactionCommand();
}

bool has_dpmix() {
  bool has = false;
  in_transaction([&] { has = OidIsValid(get_extension_oid("dpmix", true)); });
  return has;
}

// In memory that outlives transactions.
int schedules_of(Oid owner, int64** ids) {
  int count = 0;
  in_transaction([&] {
    int64* found;
    count = active_schedules(owner, &found);
    *ids = (int64*)MemoryContextAlloc(TopMemoryContext, sizeof(int64) * Max(count, 1));
    memcpy(*ids, found, sizeof(int64) * count);
  });
  return count;
}

List* owners_who_wait() {
  List* owners = NIL;
  int64* ids;
  const int count = active_schedules(InvalidOid, &ids);
  for (int i = 0; i < count; i++) {
    const Schedule* schedule = find_schedule(ids[i]);
    if (schedule == NULL || list_member_oid(owners, schedule->owner)) continue;
    if (is_waiting(schedule)) owners = lappend_oid(owners, schedule->owner);
  }
  return owners;
}

void send_for_owners(const Errand& errand) {
  in_transaction([&] {
    ListCell* cell;
    foreach (cell, owners_who_wait()) {
      Errand for_owner = errand;
      for_owner.owner = lfirst_oid(cell);
      send(for_owner);
    }
  });
}

// One process at a time runs what is due of a role. Like the schedule's own lock it ends with an
// error of the transaction, so it is taken for each.
LOCKTAG owner_lock(Oid owner) {
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, MyDatabaseId, AuthIdRelationId, owner, 1);
  return tag;
}

bool run_one(Oid owner, int64 schedule) {
  const LOCKTAG tag = owner_lock(owner);
  begin_transaction();
  const bool alone = LockAcquire(&tag, ExclusiveLock, true, true) != LOCKACQUIRE_NOT_AVAIL;
  if (alone) {
    run_waiting(schedule);
    (void)LockRelease(&tag, ExclusiveLock, true);
  }
  CommitTransactionCommand();
  return alone;
}

// What went wrong is on record, and in the server's log.
bool try_one(Oid owner, int64 schedule) {
  MemoryContext context = CurrentMemoryContext;
  volatile bool alone = true;
  PG_TRY();
  { alone = run_one(owner, schedule); }
  PG_CATCH();
  {
    EmitErrorReport();
    FlushErrorState();
    AbortCurrentTransaction();
    disable_all_timeouts(false);
    QueryCancelPending = false;
  }
  PG_END_TRY();
  MemoryContextSwitchTo(context);
  return alone;
}

void run_of_owner(Oid owner) {
  int64* ids;
  const int count = schedules_of(owner, &ids);
  for (int i = 0; i < count && try_one(owner, ids[i]); i++) CHECK_FOR_INTERRUPTS();
}

}  // namespace

void clock_init() {
  DefineCustomStringVariable(
      "dpmix.run_due", "Databases in which schedules run when they are due.",
      "A list with commas in between; empty: none, and pg_cron or another clock may call "
      "dpmix.run_schedule. The clock needs dpmix in shared_preload_libraries, and a server that "
      "was "
      "started with a list.",
      &databases, "", PGC_SIGHUP, GUC_LIST_INPUT, check_databases, NULL, NULL);
  DefineCustomIntVariable("dpmix.run_due_every", "How often the clock looks what is due.",
                          "What is due is found so much later at most.", &every, 60000, 1000,
                          3600000, PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
  if (!process_shared_preload_libraries_in_progress || *databases == '\0') return;
  BackgroundWorker clock = new_worker("dpmix_clock_main", "dpmix clock");
  clock.bgw_restart_time = 60;
  RegisterBackgroundWorker(&clock);
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

void dpmix_clock_main(Datum) {
  pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
  pqsignal(SIGHUP, SignalHandlerForConfigReload);
  BackgroundWorkerUnblockSignals();
  while (!ShutdownRequestPending) {
    if (ConfigReloadPending) {
      ConfigReloadPending = false;
      ProcessConfigFile(PGC_SIGHUP);
    }
    send_to_databases();
    (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, every,
                    PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
  }
  proc_exit(0);
}

void dpmix_due_main(Datum) {
  Errand errand;
  memcpy(&errand, MyBgworkerEntry->bgw_extra, sizeof errand);
  pqsignal(SIGTERM, die);
  pqsignal(SIGINT, StatementCancelHandler);
  BackgroundWorkerUnblockSignals();
  BackgroundWorkerInitializeConnection(errand.database, NULL, 0);
  MemoryContextSwitchTo(TopMemoryContext);
  if (has_dpmix()) {
    if (OidIsValid(errand.owner)) {
      run_of_owner(errand.owner);
    } else {
      send_for_owners(errand);
    }
  }
  proc_exit(0);
}
