// The caller's side of a charge.
#include "pg/ledger/charge.hpp"

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/lingering.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/ledger/balance.hpp"
#include "pg/ledger/paid_blocks.hpp"
#include "pg/ledger/request_slots.hpp"
#include "pg/ledger/sights.hpp"
#include "pg/ledger/well_formed.hpp"
#include "pg/process/release.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/process/worker.hpp"

extern "C" {
#include "postmaster/bgworker.h"
#include "parser/scansup.h"
#include "storage/ipc.h"
#include "utils/jsonb.h"
#include "utils/wait_event.h"
}

namespace dpmix::pg {
namespace {

constexpr int kLaunches = 3;  // a worker that cannot start is not tried for ever

int64 schedule_run = 0;
bool asked = false;

void copy_text(char* to, Size size, const char* text, const char* what) {
  if (strlcpy(to, text, size) < size) return;
  refuse_argument(psprintf("%s is too long", what),
                  psprintf("It has %zu bytes; the ledger keeps up to %zu.", strlen(text), size - 1),
                  "Shorten it.");
}

// One key more in a JSON object, which is ours and in which clients' texts are values only.
const char* with_schedule_run(const char* parameters) {
  if (schedule_run == 0) return parameters;
  const char* end = strrchr(parameters, '}');
  if (end == NULL) elog(ERROR, "parameters of a charge are no JSON object");
  const char* last = end - 1;
  while (last > parameters && scanner_isspace(*last)) last--;
  return psprintf("%.*s%s\"schedule_run\": " INT64_FORMAT "}", (int)(end - parameters), parameters,
                  *last == '{' ? "" : ", ", schedule_run);
}

void make_order(const ChargeRequest& request, ChargeOrder* order) {
  const ProtectedTable* table = request.table;
  memset((void*)order, 0, sizeof *order);
  order->table = {table->id, table->relation};
  for (; order->others < request.other_count; order->others++) {
    const ProtectedTable* other = request.others[order->others];
    order->other[order->others] = {other->id, other->relation};
  }
  const BlocksRead paid = paid_blocks(request);
  order->reads_no_block = request.block_count == 1 && request.blocks[0] == kNoBlock;
  order->block_count = paid.count;
  if (paid.count > 0) {
    memcpy((void*)order->blocks, paid.range, sizeof(BlockRange) * paid.count);
  }
  order->adjacency = table->adjacency;
  order->accountant = table->accountant;
  order->order = table->order;
  order->epsilon = request.epsilon;
  order->delta = request.delta;
  order->asked_epsilon = request.asked_epsilon;
  if (request.own != NULL) {
    order->has_own = true;
    order->own = *request.own;
  }
  order->user = table->user;
  namestrcpy(&order->role, GetUserNameFromId(table->user, false));
  order->granted_to = table->granted_to;
  copy_text(order->kind, sizeof order->kind, request.kind, "kind");
  copy_text(order->mechanism, sizeof order->mechanism, request.mechanism, "mechanism");
  copy_text(order->release, sizeof order->release, request.release ? request.release : "",
            "name of the release");
  copy_text(order->parameters, kParameterBytes + 1, request.parameters, "parameters");
  (void)DirectFunctionCall1(jsonb_in, CStringGetDatum(order->parameters));
}

struct Call {  // what must be undone when the caller leaves early
  Ticket ticket;
  bool submitted;
};

void leave_early(int, Datum arg) {
  const Call* call = (const Call*)DatumGetPointer(arg);
  if (call->submitted) leave_slot(call->ticket);
}

void refuse_unavailable(const char* detail, const char* hint) {
  refuse(ErrorCode::ledger_unavailable, "the privacy ledger is not available", detail, hint);
}

BackgroundWorkerHandle* launch_worker(uint64 generation) {
  BackgroundWorker worker;
  memset(&worker, 0, sizeof worker);
  worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
  worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
  worker.bgw_restart_time = BGW_NEVER_RESTART;
  strlcpy(worker.bgw_library_name, "dpmix", sizeof worker.bgw_library_name);
  strlcpy(worker.bgw_function_name, "dpmix_ledger_main", sizeof worker.bgw_function_name);
  snprintf(worker.bgw_name, sizeof worker.bgw_name, "dpmix ledger of database %u", MyDatabaseId);
  strlcpy(worker.bgw_type, "dpmix ledger", sizeof worker.bgw_type);
  worker.bgw_main_arg = ObjectIdGetDatum(MyDatabaseId);
  worker.bgw_notify_pid = MyProcPid;
  memcpy(worker.bgw_extra, &generation, sizeof generation);
  BackgroundWorkerHandle* handle = NULL;
  if (!RegisterDynamicBackgroundWorker(&worker, &handle)) {
    note_no_slot();
    release_worker(generation);
    refuse_unavailable("No background worker slot is free for the ledger worker.",
                       "Raise max_worker_processes, or try again when fewer workers run.");
  }
  return handle;
}

struct Launch {  // a worker that this caller launches
  BackgroundWorkerHandle* handle;
  uint64 generation;
  int count;
};

// Somebody must be on the way to the request: the worker, or one just launched.
void summon_worker(Launch* launch) {
  pid_t pid;
  if (launch->handle != NULL && GetBackgroundWorkerPid(launch->handle, &pid) == BGWH_STOPPED) {
    release_worker(launch->generation);
    launch->handle = NULL;
  }
  uint64 generation;
  switch (wake_worker(&generation)) {
    case Wake::woken:
    case Wake::starting:
      return;
    case Wake::full:
      refuse_unavailable("Too many databases of this cluster have a ledger worker at work.",
                         "Try again in a few seconds.");
      return;
    case Wake::reserved:
      if (++launch->count > kLaunches) {
        release_worker(generation);
        refuse_unavailable("The ledger worker does not start.", "The server log says why.");
      }
      launch->generation = generation;
      launch->handle = launch_worker(generation);
  }
}

void await_reply(Call* call, const ChargeOrder& order, ChargeReply* reply) {
  Submission submission;
  while (!(submission = submit_order(order, &call->ticket)).submitted) wait_for_slot();
  call->submitted = asked = true;
  end_wait_for_slot();
  DPMIX_FAULT("charge.submitted");
  bool alone = submission.alone;
  Progress progress = submission.woken ? Progress::in_work : Progress::waiting;
  Launch launch = {};
  while (progress != Progress::answered) {
    if (progress == Progress::waiting) summon_worker(&launch);
    if (alone) {  // once
      alone = false;
      expect_reply(call->ticket);
    } else {
      (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 1000,
                      PG_WAIT_EXTENSION);
      ResetLatch(MyLatch);
      CHECK_FOR_INTERRUPTS();
    }
    progress = collect_reply(call->ticket, reply);
    if (progress == Progress::in_work) DPMIX_FAULT("charge.taken");
  }
  call->submitted = false;
}

ChargeReply send(const ChargeOrder& order) {
  ChargeReply reply;
  Call call = {};
  PG_ENSURE_ERROR_CLEANUP(leave_early, PointerGetDatum(&call));
  { await_reply(&call, order, &reply); }
  PG_END_ENSURE_ERROR_CLEANUP(leave_early, PointerGetDatum(&call));
  return reply;
}

// Sends an order of this session, tagged with the run of a schedule if it is at one.
ChargeReply send_charge(ChargeOrder* order) {
  strlcpy(order->parameters, with_schedule_run(pstrdup(order->parameters)),
          sizeof order->parameters);
  return send(*order);
}

// What a release's process asks of the session that it works for.
void charge_in_caller(StringInfo question, StringInfo answer) {
  ChargeOrder order;
  if (question->len != sizeof order) elog(ERROR, "a charge of another size");
  memcpy((void*)&order, question->data, sizeof order);
  if (!is_well_formed(order)) elog(ERROR, "a charge out of its bounds");
  const ChargeReply reply = send_charge(&order);
  appendBinaryStringInfo(answer, (const char*)&reply, sizeof reply);
}

ChargeReply ask_to_charge(ChargeOrder* order) {
  StringInfoData question = {(char*)order, sizeof *order, sizeof *order, 0};
  end_locking();
  const StringInfoData answer = ask(Question::charge, &question);
  ChargeReply reply;
  if (answer.len != sizeof reply) elog(ERROR, "a reply of another size");
  memcpy((void*)&reply, answer.data, sizeof reply);
  if (!is_well_formed(reply)) elog(ERROR, "a reply out of its bounds");
  if (reply.charge_id > 0) note_charged();
  return reply;
}

// hint: NULL for the reply's own.
[[noreturn]] void raise_reply(const ChargeReply& reply, const char* hint) {
  refuse(reply.code, reply.message, reply.detail, hint != NULL ? hint : reply.hint);
}

#define DPMIX_UNSEEN \
  "FROM dpmix.charge c WHERE c.id = ANY ($1) AND c.table_id = $2 AND " DPMIX_NOT_SEEN_BY("$3")

Statement unseen = {"SELECT c.id " DPMIX_UNSEEN " ORDER BY c.id"};
Statement unseen_sum = {
    "SELECT sum(c.epsilon)::text, sum(c.delta)::text, sum(c.cost)::text, "
    "       sum(c.cost_delta)::text " DPMIX_UNSEEN};

int64* unseen_charges(const ProtectedTable* table, const int64* charges, int* count) {
  int64* found = (int64*)palloc(sizeof(int64) * Max(*count, 1));
  as_catalog_owner([&] {
    *count = (int)read_rows(unseen, {int8_array(charges, *count), table->id, table->granted_to});
    for (int i = 0; i < *count; i++) found[i] = ResultRow{(uint64)i}.int8(1);
  });
  return found;
}

}  // namespace

void see_charges(const ProtectedTable* table, const int64* charges, int count) {
  if (!OidIsValid(table->granted_to)) return;  // the owner has no cap
  const int64* unseen = unseen_charges(table, charges, &count);
  const ChargeRequest request = {.table = table,
                                 .kind = "sight",
                                 .mechanism = "",
                                 .epsilon = 0,
                                 .delta = 0,
                                 .own = NULL,
                                 .parameters = "{}"};
  for (int i = 0; i < count; i++) {
    ChargeOrder order;
    make_order(request, &order);
    order.sight = unseen[i];
    const ChargeReply reply = in_release_process() ? ask_to_charge(&order) : send(order);
    if (reply.charge_id != kSettled) raise_reply(reply, NULL);
  }
}

bool unseen_sums(const ProtectedTable* table, const int64* charges, int count, Sums* sums) {
  if (!OidIsValid(table->granted_to)) return false;
  bool found = false;
  as_catalog_owner([&] {
    (void)read_rows(unseen_sum, {int8_array(charges, count), table->id, table->granted_to});
    found = !ResultRow{}.is_null(1);
    if (found) *sums = sums_in(ResultRow{}, 1);
  });
  return found;
}

void charges_init() {
  answer_in_caller(Question::charge, charge_in_caller);
}

void tag_charges(int64 run) {
  schedule_run = run;
  if (run != 0) asked = false;
}

bool charge_asked() {
  return asked;
}

// The worker answers what it took in one batch before it takes the next, and its place is another's
// only when its last transaction is over: see docs/proofs/schedule.md.
void settle_charges() {
  require_primary();
  ChargeOrder order;
  memset((void*)&order, 0, sizeof order);
  order.barrier = true;
  const ChargeReply reply = send(order);
  if (reply.charge_id != kSettled) raise_reply(reply, NULL);
}

int64 charge(const ChargeRequest& request) {
  have_memory();
  ChargeOrder order;
  make_order(request, &order);
  const ChargeReply reply = in_release_process() ? ask_to_charge(&order) : send_charge(&order);
  if (reply.charge_id == 0) {
    const char* hint = NULL;
    if (reply.code == sqlstate(ErrorCode::budget_exhausted) && request.repricing != NULL) {
      hint = largest_epsilon_hint(request);
    }
    raise_reply(reply, hint);
  }
  DPMIX_FAULT("charge.answered");
  return reply.charge_id;
}

}  // namespace dpmix::pg
