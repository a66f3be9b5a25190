// The caller's side.
#include "pg/process/release.hpp"

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/row_type.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/process/channel.hpp"
#include "pg/process/kept_answers.hpp"
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
  Channel* channel;
};

struct Result {
  Tuplestorestate* rows;
  TupleDesc type;
  TupleTableSlot* slot;
  bool described;  // the process's rows are of this type
  StringInfoData bytes;
  // What waits until the process is done with us: a client that does not read, or a domain's
  // constraint, would hold it.
  List* notices;
  ErrorData* error;
  bool kept;
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
  leave_process(&call->place);
  if (call->channel != NULL) close_channel(call->channel);
}

ErrorData* notice_in(StringInfo body) {
  ErrorData* notice = (ErrorData*)palloc0(sizeof(ErrorData));
  pq_parse_errornotice(body, notice);
  return notice;
}

void tell(const Result& result) {
  ListCell* cell;
  foreach (cell, result.notices) ThrowErrorData((ErrorData*)lfirst(cell));
  if (result.error == NULL) return;
  if (result.error->elevel >= FATAL) {  // the process's end need not be the session's
    refuse(ErrorCode::ledger_unavailable, "the process that made the release was ended",
           "If it was charged, the charge stands; nothing was released.",
           "Look at dpmix.ledger, then try again.");
  }
  ThrowErrorData(result.error);
}

void answer(Channel* channel, StringInfo body) {
  const Answerer answerer = body->len > 0 ? answerer_of(body->data[0]) : NULL;
  if (answerer == NULL) refuse_broken();
  StringInfoData question = {body->data + 1, body->len - 1, body->len - 1, 0};
  StringInfo said = makeStringInfo();
  answerer(&question, said);
  answer_question(channel, said);
}

void keep_row(Result* result, StringInfo body) {
  MinimalTuple row = (MinimalTuple)body->data;
  if (!result->described || !row_fits(row, (Size)body->len, result->type)) refuse_broken();
  ExecStoreMinimalTuple(row, result->slot, false);
  tuplestore_puttupleslot(result->rows, result->slot);
  ExecClearTuple(result->slot);
}

void take_description(Result* result, StringInfo body) {
  if (result->type == NULL || result->described || !is_row_type(body, result->type)) {
    refuse_broken();
  }
  result->described = true;
}

void keep_bytes(Result* result, StringInfo body) {
  if (result->type != NULL || result->bytes.data != NULL) refuse_broken();
  initStringInfo(&result->bytes);
  appendBinaryStringInfo(&result->bytes, body->data, body->len);
}

// The process may wait for locks, and some of them may be ours. While it does we wait, in the sight
// of PostgreSQL's deadlock detector, for a lock that it holds. Most releases wait for nobody.
// Nothing here runs code of the caller's or waits for a client.
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
        if (body.len > 0) refuse_broken();
        locked = true;
        break;
      case Message::columns:
        take_description(result, &body);
        break;
      case Message::row:
        keep_row(result, &body);
        break;
      case Message::bytes:
        keep_bytes(result, &body);
        break;
      case Message::notice:
        result->notices = lappend(result->notices, notice_in(&body));
        break;
      case Message::error:
        result->error = notice_in(&body);
        call->place = {};  // it is over there: nothing to cancel
        return;
      case Message::question:
        locked = false;
        answer(call->channel, &body);
        break;
      case Message::end:
        if (body.len != sizeof result->kept) refuse_broken();
        memcpy(&result->kept, body.data, sizeof result->kept);
        call->place = {};
        return;
      default:
        refuse_broken();
    }
  }
}

void run(FunctionCallInfo fcinfo, const StringInfoData* attachment, const StringInfoData* tables,
         Result* result) {
  refuse_where_impossible();
  StringInfo order = write_order(fcinfo, result->type, attachment, tables);
  Call call = {};
  PG_ENSURE_ERROR_CLEANUP(leave_early, PointerGetDatum(&call));
  {
    reserve_process(&call.place);
    DPMIX_FAULT("release.reserved");
    call.channel = make_channel(order);
    submit_order(call.place, dsm_segment_handle(call.channel->segment));
    DPMIX_FAULT("release.submitted");
    follow(&call, result);
  }
  PG_END_ENSURE_ERROR_CLEANUP(leave_early, PointerGetDatum(&call));
  close_channel(call.channel);
  tell(*result);
  note_answer(result->kept);
}

// Constraints of domains are code of whoever made the domain. They are checked when all is there,
// and the process is another's.
void check_domains(const Result& result) {
  const int natts = result.type->natts;
  int* constrained = (int*)palloc(sizeof(int) * Max(natts, 1));
  int count = 0;
  for (int i = 0; i < natts; i++) {
    const FormData_pg_attribute* column = TupleDescAttr(result.type, i);
    if (!column->attisdropped && DomainHasConstraints(column->atttypid)) constrained[count++] = i;
  }
  if (count == 0) return;
  void** known = (void**)palloc0(sizeof(void*) * count);  // caches, of the columns
  tuplestore_rescan(result.rows);
  while (tuplestore_gettupleslot(result.rows, true, false, result.slot)) {
    for (int k = 0; k < count; k++) {
      bool null;
      const Datum value = slot_getattr(result.slot, constrained[k] + 1, &null);
      domain_check(value, null, TupleDescAttr(result.type, constrained[k])->atttypid, &known[k],
                   CurrentMemoryContext);
    }
  }
  ExecClearTuple(result.slot);
  tuplestore_rescan(result.rows);
}

}  // namespace

void require_primary() {
  if (!RecoveryInProgress()) return;
  refuse(ErrorCode::ledger_unavailable, "the privacy ledger is not available",
         "This server is a standby, where no charge can be committed.", "Ask the primary server.");
}

Datum release_rows(FunctionCallInfo fcinfo, const ResultRows& rows,
                   const StringInfoData* attachment, const StringInfoData* tables) {
  Result result = {};
  result.rows = rows.store;
  result.type = rows.type;
  result.slot = MakeSingleTupleTableSlot(rows.type, &TTSOpsMinimalTuple);
  run(fcinfo, attachment, tables, &result);
  check_domains(result);
  ExecDropSingleTupleTableSlot(result.slot);
  return (Datum)0;
}

StringInfoData release_bytes(FunctionCallInfo fcinfo) {
  Result result = {};
  run(fcinfo, NULL, NULL, &result);
  return result.bytes;
}

}  // namespace dpmix::pg
