// The shared library as PostgreSQL sees it. No random state is made here: a postmaster that
// preloads the library would hand the same state to every backend.
#include "core/base/poll.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/io_counts.hpp"
#include "pg/border/lingering.hpp"
#include "pg/citus/shard_plan.hpp"
#include "pg/facade/client_statements.hpp"
#include "pg/facade/denied_select.hpp"
#include "pg/facade/explain.hpp"
#include "pg/facade/guard.hpp"
#include "pg/facade/rewrite.hpp"
#include "pg/facade/settings.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/request_slots.hpp"
#include "pg/memory/settings.hpp"
#include "pg/noise/calibration_shared.hpp"
#include "pg/owner/budget.hpp"
#include "pg/preview/call_hint.hpp"
#include "pg/preview/explain.hpp"
#include "pg/process/kept_answers.hpp"
#include "pg/process/own_rows.hpp"
#include "pg/process/pool.hpp"
#include "pg/process/release_plan.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/process/total_memory.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/plan_start.hpp"
#include "pg/scan/private_statistics.hpp"
#include "pg/scan/shared_rows.hpp"
#include "pg/schedule/clock.hpp"
#include "pg/schedule/limit.hpp"
#include "pg/synthetic/cda/progress.hpp"
#include "pg/trees/own_code.hpp"

extern "C" {
#include "utils/guc.h"

#ifdef PG_MODULE_MAGIC_EXT  // since PostgreSQL 18, where the plain one warns in C++
PG_MODULE_MAGIC_EXT(.name = "dpmix", .version = NULL);
#else
PG_MODULE_MAGIC;
#endif
PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  // Not every interrupt is a cancel: a parallel worker's end, a barrier or a request to log memory
  // must not cost a caller the answer that was charged.
  dpmix::poll_hook = [] {
    if (unlikely(InterruptPending)) dpmix::pg::postgres([] { CHECK_FOR_INTERRUPTS(); });
  };
  // In the order in which shared memory is wanted: without the first two nothing is released.
  dpmix::pg::ledger_init();
  dpmix::pg::charges_init();
  dpmix::pg::release_pool_init();
  dpmix::pg::lingering_init();
  dpmix::pg::calibration_shared_init();
  dpmix::pg::cda_progress_init();
  dpmix::pg::own_code_init();
  dpmix::pg::budgets_init();
  dpmix::pg::private_statistics_init();
  dpmix::pg::scan_memory_init();
  dpmix::pg::shared_rows_init();
  dpmix::pg::row_needs_init();
  dpmix::pg::total_memory_init();
  dpmix::pg::own_rows_init();
  dpmix::pg::release_plan_init();
  dpmix::pg::io_counts_init();
  dpmix::pg::plan_start_init();
  dpmix::pg::schedule_limit_init();
  dpmix::pg::clock_init();
  dpmix::pg::memory_settings_init();
  dpmix::pg::plain_settings_init();
  dpmix::pg::shard_plan_init();
  dpmix::pg::plain_rewrite_init();
  dpmix::pg::plain_explain_init();
  dpmix::pg::preview_explain_init();
  dpmix::pg::client_statements_init();
  dpmix::pg::facade_guard_init();
  dpmix::pg::denied_select_init();
  dpmix::pg::kept_answers_init();
  // Each log hook runs before those that were set earlier: kept answers add to this one's hint.
  dpmix::pg::call_hint_init();
  MarkGUCPrefixReserved("dpmix");  // after all settings: a misspelt one is refused
}
}
