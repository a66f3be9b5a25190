// dpmix.run_schedule, and runs of the clock: what is due is released at most once, whatever
// happens. In transactions of its own, under a lock of the schedule: (1) the attempt is recorded;
// (2) charge, release and "it is stored", as the schedule's owner; or (3) what went wrong. Claim
// and proof: docs/proofs/schedule.md.
#include "pg/schedule/run.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/blocks_read.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/process/release.hpp"
#include "pg/schedule/as_owner.hpp"
#include "pg/schedule/attempts.hpp"
#include "pg/schedule/release.hpp"

extern "C" {
#include "access/xact.h"
#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(dpmix_run_schedule);
}

namespace dpmix::pg {
namespace {

constexpr int64 kSkippedOnRecord = 1000;
constexpr int kRetryFailedAfter = 10 * 60 * 1000;  // milliseconds; by the clock

struct Call {
  bool simulated;
  TimestampTz at;
  bool retry;
};

Call read_call(FunctionCallInfo fcinfo) {
  const bool simulated = !PG_ARGISNULL(1);
  return {simulated, simulated ? PG_GETARG_TIMESTAMPTZ(1) : 0,
          !PG_ARGISNULL(2) && PG_GETARG_BOOL(2)};
}

void refuse_transaction_block(FunctionCallInfo fcinfo) {
  const bool nonatomic = fcinfo->context != NULL && IsA(fcinfo->context, CallContext) &&
                         !castNode(CallContext, fcinfo->context)->atomic;
  if (nonatomic && !IsSubTransaction()) return;
  refuse(ERRCODE_ACTIVE_SQL_TRANSACTION,
         "dpmix.run_schedule cannot run inside a transaction block or function",
         "It commits what it did, so that no ROLLBACK can undo the record of a charge.",
         "CALL it as a statement of its own.");
}

// Each phase is a transaction; its statements see what is committed.
void begin_phase() {
  PushActiveSnapshot(GetTransactionSnapshot());
}
void end_phase() {
  PopActiveSnapshot();
}
void commit_phase() {
  end_phase();
  ForceSyncCommit();
  SPI_commit();
  XactIsoLevel = XACT_READ_COMMITTED;  // no failure to serialize once a charge is paid
  begin_phase();
}

void require_clock(const Schedule* schedule, const Call& call) {
  if (!call.simulated) return;
  if (!owns_all_tables(schedule)) {
    refuse(ErrorCode::not_protected, "you may not set the clock",
           "at is for those with the rights of the owner of each protected table.",
           "Leave it out: the server's clock says what is due.");
  }
  if (TIMESTAMP_NOT_FINITE(call.at)) {
    refuse_argument("at is infinite", "It stands in for the clock.",
                    "Leave it out to go by the server's clock.");
  }
}

// Their sessions are gone, or the calls: the lock is ours.
void close_lost_attempts(const Schedule* schedule) {
  int64* runs;
  const int count = running_attempts(schedule, &runs);
  if (count == 0) return;
  settle_charges();
  for (int i = 0; i < count; i++) close_attempt(runs[i]);
}

// What there is to do: nothing, or an attempt at a period, or to say that it is spent.
struct Task {
  enum { nothing, attempt, spent } what;
  int64 period;
  int64 run;
};

Task decide(const Schedule* schedule, const Call& call) {
  Task task = {Task::nothing, 0, 0};
  if (!schedule->active) {
    ereport(NOTICE, (errmsg("schedule \"%s\" is paused", schedule->name),
                     errhint("Resume it with dpmix.set_schedule_active().")));
    return task;
  }
  const TimestampTz now = call.simulated ? call.at : GetCurrentTimestamp();
  const int64 latest = task.period = latest_due(schedule->calendar, now);
  const int64 last = last_period(schedule);
  // None is due yet, or the clock was set back: what is past stays as it is.
  if (latest < schedule->first_period || latest < last) return task;
  for (int64 i = Max(last + 1, latest - kSkippedOnRecord); i < latest; i++) {
    (void)insert_attempt(schedule, i, 0);
  }
  const Attempt before = last_attempt(schedule, latest);
  if (before.state != NULL && strcmp(before.state, "failed") != 0) {
    if (strcmp(before.state, "spent") != 0) return task;  // stored, or skipped
    if (!call.retry) {
      task.what = Task::spent;
      return task;
    }
  }
  task.what = Task::attempt;
  task.run = insert_attempt(schedule, latest, before.number + 1);
  return task;
}

[[noreturn]] void refuse_spent(const Schedule* schedule) {
  refuse(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
         psprintf("the latest period of schedule \"%s\" is spent", schedule->name),
         "It was charged, and its release was not stored. dpmix.schedule_runs says why.",
         "The next period runs when it is due; CALL dpmix.run_schedule(name, retry => true) runs "
         "this one again, for a new charge.");
}

void require_owner(const Schedule* schedule) {
  if (OidIsValid(schedule->owner)) return;
  refuse(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
         psprintf("the owner of schedule \"%s\" is gone", schedule->name),
         psprintf("Its releases were made with the rights of role \"%s\".", schedule->owner_name),
         "A superuser drops it with dpmix.drop_schedule().");
}

// Closes a failed attempt, in a transaction that goes on, after everything that the attempt did was
// undone. What cannot be decided now is decided by the next call.
void close_failed(int64 run, const ErrorData* error) {
  record_error(run, error);
  commit_phase();
  if (charge_asked()) settle_charges();
  close_attempt(run);
  commit_phase();
}

ErrorData* store_release(const Schedule* schedule, const Call& call, const Task& task) {
  tag_charges(task.run);
  end_blocks_at(call.simulated ? call.at : 0);
  ErrorData* error = error_as_owner(schedule, [&] { make_release(schedule, task.period); });
  end_blocks_at(0);
  tag_charges(0);
  if (error != NULL) return error;
  close_stored(task.run);
  DPMIX_FAULT("schedule.stored");
  commit_phase();
  DPMIX_FAULT("schedule.committed");
  return NULL;
}

void run_task(const Schedule* schedule, const Call& call, const Task& task) {
  commit_phase();  // what was found out, too, before the next one may look
  if (task.what == Task::nothing) return;
  if (task.what == Task::spent) refuse_spent(schedule);
  DPMIX_FAULT("schedule.recorded");
  ErrorData* error = store_release(schedule, call, task);
  if (error == NULL) return;
  close_failed(task.run, error);
  ReThrowError(error);
}

// Under the schedule's lock.
void run_locked(const Schedule* schedule, const Call& call) {
  require_owner(schedule);
  require_clock(schedule, call);
  close_lost_attempts(schedule);
  const int level = enter_settings(schedule);
  const Task task = decide(schedule, call);
  leave_settings(level);
  run_task(schedule, call, task);
}

}  // namespace

bool is_waiting(const Schedule* schedule) {
  if (!schedule->active || !OidIsValid(schedule->owner)) return false;
  const int level = enter_settings(schedule);
  const TimestampTz now = GetCurrentTimestamp();
  const int64 latest = latest_due(schedule->calendar, now);
  leave_settings(level);
  if (latest < schedule->first_period || latest < last_period(schedule)) return false;
  const Attempt before = last_attempt(schedule, latest);
  if (before.state == NULL || strcmp(before.state, "running") == 0) return true;
  return strcmp(before.state, "failed") == 0 &&
         TimestampDifferenceExceeds(before.finished, now, kRetryFailedAfter);
}

void run_waiting(int64 id) {
  SPI_connect_ext(SPI_OPT_NONATOMIC);
  begin_phase();
  lock_schedule(id, true);
  const Schedule* schedule = find_schedule(id);
  if (schedule != NULL && is_waiting(schedule)) run_locked(schedule, {});
  end_phase();
  unlock_schedule(id);
  SPI_finish();
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_run_schedule(PG_FUNCTION_ARGS) {
  refuse_transaction_block(fcinfo);
  require_primary();
  require_arguments(fcinfo, 1);
  const char* name = text_argument(fcinfo, 0);
  const Call call = read_call(fcinfo);
  SPI_connect_ext(SPI_OPT_NONATOMIC);
  begin_phase();
  const int64 id = open_schedule(name)->id;
  lock_schedule(id, true);  // until the call is over; an error of the transaction ends it as well
  const Schedule* schedule = open_schedule(name);
  if (schedule->id != id) {
    refuse(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
           psprintf("schedule \"%s\" was made anew meanwhile", name),
           "This call waited for a run of the one before.", "Call it again.");
  }
  run_locked(schedule, call);
  end_phase();
  unlock_schedule(id);
  SPI_finish();
  PG_RETURN_NULL();
}
