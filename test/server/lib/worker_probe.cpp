// A process that looks like the ledger worker of a build before 0.3.0: of its type, in this
// database, without the lock. For ledger/engine.test.sh; no part of dpmix.
#include "pg/border/postgres.hpp"

extern "C" {
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/wait_event.h"

PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(start_older_worker);
PGDLLEXPORT void older_worker_main(Datum database);

Datum start_older_worker(PG_FUNCTION_ARGS) {
  BackgroundWorker worker = {};
  worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
  worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
  worker.bgw_restart_time = BGW_NEVER_RESTART;
  strlcpy(worker.bgw_library_name, "worker_probe", sizeof worker.bgw_library_name);
  strlcpy(worker.bgw_function_name, "older_worker_main", sizeof worker.bgw_function_name);
  strlcpy(worker.bgw_name, "older dpmix ledger", sizeof worker.bgw_name);
  strlcpy(worker.bgw_type, "dpmix ledger", sizeof worker.bgw_type);
  worker.bgw_main_arg = ObjectIdGetDatum(MyDatabaseId);
  worker.bgw_notify_pid = MyProcPid;
  BackgroundWorkerHandle* handle;
  pid_t pid;
  if (!RegisterDynamicBackgroundWorker(&worker, &handle) ||
      WaitForBackgroundWorkerStartup(handle, &pid) != BGWH_STARTED) {
    ereport(ERROR, (errmsg("the worker did not start")));
  }
  PG_RETURN_INT32(pid);
}

void older_worker_main(Datum database) {
  pqsignal(SIGTERM, die);
  BackgroundWorkerUnblockSignals();
  BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, 0);
  for (;;) {
    (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1, PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
  }
}
}
