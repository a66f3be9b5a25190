// The ledger worker: the one writer of dpmix.charge in a database. It takes all waiting requests,
// decides them against totals in memory, appends what it admits, commits, and only then answers and
// counts. Claim and proof: docs/proofs/ledger.md.
#include <algorithm>
#include <vector>

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/lingering.hpp"
#include "pg/border/run_as.hpp"
#include "pg/border/steady_clock.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/ledger/decision.hpp"
#include "pg/ledger/one_writer.hpp"
#include "pg/ledger/request_slots.hpp"
#include "pg/ledger/well_formed.hpp"

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
    {"enable_seqscan", "off"},  // sums since a checkpoint: few rows of many, which nobody analysed
    {"quote_all_identifiers", "off"},  // the record says public.people, whoever sets what
    {"max_parallel_workers_per_gather", "0"},
    {"jit", "off"},
    {"client_min_messages", "error"},
    {"transaction_timeout", "0"},  // since PostgreSQL 17
};

enum class Phase { deciding, committing, committed };

struct Batch {  // one without orders: a checkpoint
  LedgerDecisions* decisions;
  const ChargeOrder* orders;
  ChargeReply* replies;
  int count;
  Phase phase;
  int64 commit_microseconds;
};

ChargeReply malformed() {
  return refusal_reply(sqlstate(ErrorCode::ledger_unavailable), "a charge cannot be understood",
                       "It is out of its bounds. Nothing was charged or released.", "Try again.");
}

void decide_batch(Batch* batch) {
  guard([&] {
    batch->decisions->begin();
    for (int i = 0; i < batch->count; i++) {
      batch->replies[i] = is_well_formed(batch->orders[i])
                              ? batch->decisions->decide(batch->orders[i])
                              : malformed();
    }
    if (batch->count == 0) batch->decisions->record_checkpoint();
    batch->decisions->end();
  });
}

void run_batch(Batch* batch) {
  MemoryContext context = CurrentMemoryContext;  // commit and abort leave another
  SetCurrentStatementStartTimestamp();
  StartTransactionCommand();
  PushActiveSnapshot(GetTransactionSnapshot());
  run_as(catalog_owner(), true, [batch] { decide_batch(batch); });
  DPMIX_FAULT("worker.decided");
  PopActiveSnapshot();
  batch->phase = Phase::committing;
  DPMIX_FAULT("worker.before_commit");
  const int64 start = steady_microseconds();
  CommitTransactionCommand();
  batch->commit_microseconds = steady_microseconds() - start;
  batch->phase = Phase::committed;
  DPMIX_FAULT("worker.committed");
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
  const bool locked = error.sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE;
  return refusal_reply(
      sqlstate(ErrorCode::ledger_unavailable), "the ledger could not record the charge",
      locked ? "Another transaction holds a lock on a table of the ledger." : error.message,
      locked ? "Nothing was charged or released; end that transaction."
             : "Nothing was charged or released; see the server log.");
}

class Worker {
 public:
  explicit Worker(uint64 generation) : generation_(generation) {}

  void run() {  // until idle; whatever else ends it, leave_worker() answers for it
    bool writer = false;
    postgres([&] { writer = become_writer(); });
    if (!writer) return refuse_all();
    while (wait_for_orders()) {
      if (!try_batch(0, count_)) {
        for (int i = 0; i < count_; i++) {
          if (count_ > 1) try_batch(i, 1);  // one bad request must not refuse the others
        }
      }
      postgres([&] {
        answer_orders(tickets_.data(), replies_.data(), count_);
        DPMIX_FAULT("worker.answered");
        MemoryContextReset(CurrentMemoryContext);
        pgstat_report_stat(false);
      });
      if (decisions_.checkpoint_due()) try_batch(0, 0);
      postgres([&] { expect_orders(count_, commit_microseconds_); });
    }
  }

 private:
  // The next request launches another worker, which tries again.
  void refuse_all() {
    const ChargeReply refusal = refusal_reply(
        sqlstate(ErrorCode::ledger_unavailable),
        "another build of dpmix keeps the ledger of this database",
        "Its ledger worker serves sessions that loaded the library before it was replaced.",
        "Nothing was charged or released; end those sessions, then try again.");
    std::fill(replies_.begin(), replies_.end(), refusal);
    postgres([&] {
      do {
        count_ = take_orders(generation_, orders_.data(), tickets_.data());
        answer_orders(tickets_.data(), replies_.data(), count_);
      } while (!retire_worker(generation_));
    });
  }

  bool wait_for_orders() {
    bool idle = false;
    const int64 since = steady_microseconds();
    for (count_ = 0; count_ == 0 && !idle;) {
      try {
        postgres([&] {
          CHECK_FOR_INTERRUPTS();
          if (ConfigReloadPending) {
            ConfigReloadPending = false;
            ProcessConfigFile(PGC_SIGHUP);
          }
          count_ = take_orders(generation_, orders_.data(), tickets_.data());
          if (count_ > 0) DPMIX_FAULT("worker.taken");
          if (count_ == 0) idle = sleep_until(since);
        });
      } catch (const detail::PostgresError&) {  // pg_cancel_backend(): nothing is in work
        postgres([] { MemoryContextReset(CurrentMemoryContext); });
      }
    }
    return !idle;
  }

  // True: no request came for long enough, and the worker's place is given up.
  bool sleep_until(int64 since) {
    if (should_end(since, ledger_workers(), ledger_idle_timeout) && retire_worker(generation_)) {
      resign_writer();
      DPMIX_FAULT("worker.retiring");
      return true;
    }
    (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
                    linger_look(ledger_idle_timeout), PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    return false;
  }

  bool try_batch(int first, int count) {
    Batch batch = {&decisions_, &orders_[first], &replies_[first], count, Phase::deciding, 0};
    try {
      postgres([&] { run_batch(&batch); });
      if (count > 0) commit_microseconds_ = batch.commit_microseconds;
      return true;
    } catch (const detail::PostgresError& error) {
      // Once the commit has begun nobody here knows its outcome: end, and load what is there.
      if (batch.phase != Phase::deciding) throw;
      for (int i = 0; i < count; i++) replies_[first + i] = reply_of(*error.data);
      decisions_.forget();
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
  // First, hence called last: the transaction is over when the place is given up.
  before_shmem_exit(leave_worker, UInt64GetDatum(generation));
  if (!enter_worker(generation)) proc_exit(0);
  BackgroundWorkerUnblockSignals();
  DPMIX_FAULT("worker.started");
  BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, 0);
  for (const auto& setting : kSettings) {
    if (GetConfigOption(setting[0], true, false) == NULL) continue;  // a later PostgreSQL's
    SetConfigOption(setting[0], setting[1], PGC_SUSET, PGC_S_OVERRIDE);
  }
  MemoryContextSwitchTo(
      AllocSetContextCreate(TopMemoryContext, "dpmix ledger", ALLOCSET_DEFAULT_SIZES));
  guard([&] { Worker(generation).run(); });
  proc_exit(0);
}
