// The ledger worker: the one writer of dpmix.charge in a database. It takes all waiting requests,
// decides them against totals in memory, appends what it admits, commits, and only then answers and
// counts. Claim and proof: docs/proofs/ledger.md.
#include <vector>

#include "pg/ledger_decision.hpp"

#include "pg/guard.hpp"
#include "pg/ledger_shared.hpp"

extern "C" {
#include "access/xact.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

PGDLLEXPORT void dpmix_ledger_main(Datum);
}

namespace dpmix::pg {
namespace {

// Whatever ALTER DATABASE or ALTER ROLE set must not reach the ledger.
constexpr const char* kSettings[][2] = {
    {"search_path", "pg_catalog, pg_temp"},
    {"synchronous_commit", "on"},
    {"lock_timeout", "500"},  // a caller may hold a lock on the ledger and wait for us
    {"statement_timeout", "0"},
    {"idle_in_transaction_session_timeout", "0"},
    {"session_replication_role", "origin"},
    {"default_transaction_isolation", "read committed"},
    {"default_transaction_read_only", "off"},
    {"default_transaction_deferrable", "off"},
    {"row_security", "off"},
    {"quote_all_identifiers", "off"},  // the record says public.people, whoever sets what
    {"max_parallel_workers_per_gather", "0"},
    {"jit", "off"},
    {"client_min_messages", "error"},
#if PG_VERSION_NUM >= 170000
    {"transaction_timeout", "0"},
#endif
};

constexpr int64 kLongestGathering = 2000, kGatheringStep = 30;  // microseconds

enum class Phase { deciding, committing, committed };

struct Batch {
  LedgerDecisions* decisions;
  const ChargeOrder* orders;
  ChargeReply* replies;
  int count;
  Phase phase;
  int64 commit_microseconds;
};

void decide_batch(void* arg) {
  Batch* batch = (Batch*)arg;
  guard([&] {
    batch->decisions->begin();
    for (int i = 0; i < batch->count; i++) {
      batch->replies[i] = batch->decisions->decide(batch->orders[i]);
    }
  });
}

void run_batch(Batch* batch) {
  MemoryContext context = CurrentMemoryContext;  // commit and abort leave another
  SetCurrentStatementStartTimestamp();
  StartTransactionCommand();
  PushActiveSnapshot(GetTransactionSnapshot());
  as_catalog_owner(decide_batch, batch);
  PopActiveSnapshot();
  batch->phase = Phase::committing;
  TimestampTz start = GetCurrentTimestamp();
  CommitTransactionCommand();
  batch->commit_microseconds = GetCurrentTimestamp() - start;
  batch->phase = Phase::committed;
  MemoryContextSwitchTo(context);
}

void undo_batch(const ErrorData* error) {
  MemoryContext context = CurrentMemoryContext;
  ereport(LOG, (errmsg("dpmix ledger: %s", error->message)));
  AbortCurrentTransaction();
  disable_all_timeouts(false);
  QueryCancelPending = false;
  MemoryContextSwitchTo(context);
}

ChargeReply reply_of(const ErrorData& error) {
  ChargeReply reply = {};
  reply.code = DPMIX_SQLSTATE(ledger_unavailable);
  strlcpy(reply.message, "the ledger could not record the charge", sizeof reply.message);
  strlcpy(reply.hint, "Nothing was charged or released; see the server log.", sizeof reply.hint);
  if (error.sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE) {
    strlcpy(reply.detail, "Another transaction holds a lock on a table of the ledger.",
            sizeof reply.detail);
    strlcpy(reply.hint, "Nothing was charged or released; end that transaction.",
            sizeof reply.hint);
  } else {
    strlcpy(reply.detail, error.message, sizeof reply.detail);
  }
  return reply;
}

class Worker {
 public:
  explicit Worker(uint64 generation) : generation_(generation) {}

  void run() {  // until idle; whatever else ends it, leave_worker() answers for it
    while (wait_for_orders()) {
      if (!settle(0, count_)) {
        for (int i = 0; i < count_; i++) {
          if (count_ > 1) settle(i, 1);  // one bad request must not refuse the others
        }
      }
      postgres([&] {
        int callers = count_ + orders_waiting();
        for (int i = 0; i < count_; i++) answer_order(tickets_[i], replies_[i]);
        MemoryContextReset(CurrentMemoryContext);
        pgstat_report_stat(false);
        gather(callers);
      });
    }
  }

 private:
  bool wait_for_orders() {
    bool idle = false;
    TimestampTz since = GetCurrentTimestamp();
    for (count_ = 0; count_ == 0 && !idle;) {
      try {
        postgres([&] {
          CHECK_FOR_INTERRUPTS();
          if (ConfigReloadPending) {
            ConfigReloadPending = false;
            ProcessConfigFile(PGC_SIGHUP);
          }
          count_ = take_orders(generation_, orders_.data(), tickets_.data());
          if (count_ == 0) idle = sleep_until(since);
        });
      } catch (const detail::PostgresError&) {  // pg_cancel_backend(): nothing is in work
        postgres([] { MemoryContextReset(CurrentMemoryContext); });
      }
    }
    return !idle;
  }

  // Callers that were at the ledger together tend to come back together. Waiting for all of them,
  // for a fraction of what a commit takes, keeps them from splitting into halves that alternate.
  void gather(int callers) {
    if (callers < 2) return expect_order();
    TimestampTz end = GetCurrentTimestamp() + Min(commit_microseconds_ / 4, kLongestGathering);
    while (orders_waiting() < callers && GetCurrentTimestamp() < end) pg_usleep(kGatheringStep);
  }

  // True: no request came for ledger_idle_timeout, and the worker's place is given up.
  bool sleep_until(TimestampTz since) {
    TimestampTz end = TimestampTzPlusMilliseconds(since, ledger_idle_timeout);
    long left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end);
    if (left <= 0 && retire_worker(generation_)) return true;
    (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, Max(left, 0),
                    PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    return false;
  }

  bool settle(int first, int count) {
    Batch batch = {&decisions_, &orders_[first], &replies_[first], count, Phase::deciding, 0};
    try {
      postgres([&] { run_batch(&batch); });
      commit_microseconds_ = batch.commit_microseconds;
      decisions_.keep();
      return true;
    } catch (const detail::PostgresError& error) {
      // Once the commit has begun nobody here knows its outcome: end, and load what is there.
      if (batch.phase != Phase::deciding) throw;
      for (int i = 0; i < count; i++) replies_[first + i] = reply_of(*error.data);
      decisions_.drop();
      postgres([&] { undo_batch(error.data); });
    }
    return false;
  }

  uint64 generation_;
  int count_ = 0;
  int64 commit_microseconds_ = 0;
  LedgerDecisions decisions_;
  std::vector<ChargeOrder> orders_{kRequestSlots};
  std::vector<Ticket> tickets_{kRequestSlots};
  std::vector<ChargeReply> replies_{kRequestSlots};
};

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

void dpmix_ledger_main(Datum database) {
  uint64 generation;
  memcpy(&generation, MyBgworkerEntry->bgw_extra, sizeof generation);
  pqsignal(SIGTERM, die);
  pqsignal(SIGHUP, SignalHandlerForConfigReload);
  if (!enter_worker(generation)) proc_exit(0);
  // First, hence called last: the transaction is over when the place is given up.
  before_shmem_exit(leave_worker, UInt64GetDatum(generation));
  BackgroundWorkerUnblockSignals();
  BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, 0);
  for (const auto& setting : kSettings) {
    SetConfigOption(setting[0], setting[1], PGC_SUSET, PGC_S_OVERRIDE);
  }
  MemoryContextSwitchTo(
      AllocSetContextCreate(TopMemoryContext, "dpmix ledger", ALLOCSET_DEFAULT_SIZES));
  guard([&] { Worker(generation).run(); });
  proc_exit(0);
}
