// The caller's side.
#include "pg/process/release.hpp"

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/process/channel.hpp"
#include "pg/process/lock.hpp"
#include "pg/process/order.hpp"
#include "pg/process/own_rows.hpp"
#include "pg/process/pool.hpp"
#include "pg/process/worker.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "libpq/pqmq.h"
#include "storage/ipc.h"
#include "utils/memutils.h"
#include "utils/builtins.h"
#include "utils/typcache.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {
namespace {

constexpr int kBeforeLock = 5, kLookAgain = 1000;  // milliseconds

struct Call {  // what must be undone when the caller leaves early
  Place place;
  bool placed;  // the process is at work for this call
  Channel* channel;
};

struct Result {
  Tuplestorestate* rows;
  TupleTableSlot* slot;
  bool constrained;    // a column is of a domain
  void** constraints;  // caches, of the columns
  MemoryContext memory;
  StringInfoData bytes;
};

void refuse_where_impossible() {
  if (in_release_process()) {
    refuse(ErrorCode::query_not_allowed, "a release cannot be part of another release",
           "Code that runs while rows are read called dpmix.",
           "Leave dpmix out of functions that the table's indexes and checks use.");
  }
  require_primary();
  require_asking_session();
  refuse_own_declarations();
}

void leave_early(int, Datum arg) {
  Call* call = (Call*)DatumGetPointer(arg);
  if (call->placed) leave_process(call->place);
  if (call->channel != NULL) close_channel(call->channel);
}

void rethrow(StringInfo body) {
  ErrorData error;
  pq_parse_errornotice(body, &error);
  if (error.elevel >= FATAL) {  // the process's end need not be the session's
    refuse(ErrorCode::ledger_unavailable, "the process that made the release was ended",
           "If it was charged, the charge stands; nothing was released.",
           "Look at dpmix.ledger, then try again.");
  }
  ThrowErrorData(&error);
}

void answer(Channel* channel, StringInfo body) {
  const char kind = body->data[0];
  StringInfoData question = {body->data + 1, body->len - 1, body->len - 1, 0};
  StringInfo said = makeStringInfo();
  answerer_of(kind)(&question, said);
  answer_question(channel, said);
}

// Constraints of domains are code of whoever made the domain.
void check_domains(Result* result) {
  const TupleDesc columns = result->slot->tts_tupleDescriptor;
  for (int i = 0; i < columns->natts; i++) {
    const FormData_pg_attribute* column = TupleDescAttr(columns, i);
    if (column->attisdropped || !DomainHasConstraints(column->atttypid)) continue;
    bool null;
    const Datum value = slot_getattr(result->slot, i + 1, &null);
    domain_check(value, null, column->atttypid, &result->constraints[i], result->memory);
  }
}

void keep_row(Result* result, StringInfo body) {
  MinimalTuple row = (MinimalTuple)body->data;
  ExecStoreMinimalTuple(row, result->slot, false);
  if (result->constrained) check_domains(result);
  tuplestore_puttupleslot(result->rows, result->slot);
  ExecClearTuple(result->slot);
}

void keep_bytes(Result* result, StringInfo body) {
  initStringInfo(&result->bytes);
  appendBinaryStringInfo(&result->bytes, body->data, body->len);
}

// The process may wait for locks, and some of them may be ours. While it does we wait, in the sight
// of PostgreSQL's deadlock detector, for a lock that it holds. Most releases wait for nobody.
void follow(Call* call, Result* result) {
  StringInfoData body;
  initStringInfo(&body);
  bool locked = false, gone = false;  // of the process
  for (;;) {
    Message kind;
    const int patience = gone ? 0 : locked ? kBeforeLock : kLookAgain;
    if (!receive_message(call->channel, patience, &kind, &body)) {
      if (gone) refuse_gone();  // it ended before it opened the queues: they do not tell
      if (locked) wait_while_locking(call->place);
      locked = false;
      gone = !is_at_work(call->place);
      continue;
    }
    switch (kind) {
      case Message::locking:
        locked = true;
        break;
      case Message::row:
        keep_row(result, &body);
        break;
      case Message::bytes:
        keep_bytes(result, &body);
        break;
      case Message::notice:
        rethrow(&body);
        break;
      case Message::error:
        call->placed = false;  // it is over there: nothing to cancel
        rethrow(&body);
        break;
      case Message::question:
        locked = false;
        answer(call->channel, &body);
        break;
      case Message::end:
        call->placed = false;
        return;
    }
  }
}

void run(FunctionCallInfo fcinfo, TupleDesc columns, const StringInfoData* attachment,
         Result* result) {
  refuse_where_impossible();
  Call call = {};
  PG_ENSURE_ERROR_CLEANUP(leave_early, PointerGetDatum(&call));
  {
    call.place = reserve_process();
    call.placed = true;
    DPMIX_FAULT("release.reserved");
    call.channel = make_channel(write_order(fcinfo, columns, attachment));
    submit_order(call.place, dsm_segment_handle(call.channel->segment));
    DPMIX_FAULT("release.submitted");
    follow(&call, result);
  }
  PG_END_ENSURE_ERROR_CLEANUP(leave_early, PointerGetDatum(&call));
  close_channel(call.channel);
}

}  // namespace

void require_primary() {
  if (!RecoveryInProgress()) return;
  refuse(ErrorCode::ledger_unavailable, "the privacy ledger is not available",
         "This server is a standby, where no charge can be committed.", "Ask the primary server.");
}

Datum release_rows(FunctionCallInfo fcinfo, const ResultRows& rows,
                   const StringInfoData* attachment) {
  Result result = {};
  result.rows = rows.store;
  result.slot = MakeSingleTupleTableSlot(rows.type, &TTSOpsMinimalTuple);
  result.memory = CurrentMemoryContext;
  result.constraints = (void**)palloc0(sizeof(void*) * Max(rows.type->natts, 1));
  for (int i = 0; i < rows.type->natts; i++) {
    const FormData_pg_attribute* column = TupleDescAttr(rows.type, i);
    if (!column->attisdropped && DomainHasConstraints(column->atttypid)) result.constrained = true;
  }
  run(fcinfo, rows.type, attachment, &result);
  ExecDropSingleTupleTableSlot(result.slot);
  return (Datum)0;
}

StringInfoData release_bytes(FunctionCallInfo fcinfo) {
  Result result = {};
  run(fcinfo, NULL, NULL, &result);
  return result.bytes;
}

}  // namespace dpmix::pg
