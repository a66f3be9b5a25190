// A release process: takes an order, makes the release in a transaction of its own that only reads,
// and sends what is released. It ends when nobody wants anything for a while.
#include "pg/process/worker.hpp"

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/row_type.hpp"
#include "pg/process/channel.hpp"
#include "pg/process/lock.hpp"
#include "pg/process/order.hpp"
#include "pg/process/pool.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/process/settings.hpp"
#include "pg/process/shipped_tables.hpp"
#include "pg/trees/own_code.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "libpq/libpq.h"
#include "libpq/pqmq.h"
#include "nodes/execnodes.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

PGDLLEXPORT void dpmix_release_main(Datum);
}

namespace dpmix::pg {
namespace {

constexpr char kErrorMessage = 'E';  // in PostgreSQL's protocol

bool is_process = false;
Channel* channel = NULL;
Order order = {};
uint64 lock_held = 0;  // sequence of the order whose lock is held
bool charged = false;
bool kept = false;                   // what is released; if it is to be written, then once it is
const ReturnSetInfo* result = NULL;  // what the call at hand returns
StringInfoData returned = {};
MemoryContext orders = NULL;

struct Writing {  // what is to be written after the release
  void (*write)(void* what);
  void* what;
  bool must;
} writing = {};

// A cancel is for one order; one that comes late is for nobody.
void on_cancel(SIGNAL_ARGS) {
  const int saved = errno;
  if (is_order_cancelled()) {
    QueryCancelPending = true;
    InterruptPending = true;
  }
  SetLatch(MyLatch);
  errno = saved;
}

void send_rows(Tuplestorestate* rows, TupleDesc type) {
  StringInfoData columns;
  initStringInfo(&columns);
  put_row_type(&columns, type);
  send_message(channel, Message::columns, columns.data, (Size)columns.len);
  TupleTableSlot* slot = MakeSingleTupleTableSlot(type, &TTSOpsMinimalTuple);
  while (tuplestore_gettupleslot(rows, true, false, slot)) {
    bool copied;
    MinimalTuple row = ExecFetchSlotMinimalTuple(slot, &copied);
    send_message(channel, Message::row, row, row->t_len);
  }
}

// Calls the function as PostgreSQL calls one in FROM, and sends what it returns.
void send_result() {
  FmgrInfo function;
  fmgr_info(order.call->funcid, &function);
  fmgr_info_set_expr((Node*)order.call, &function);
  LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
  ReturnSetInfo info = {};
  info.type = T_ReturnSetInfo;
  info.econtext = CreateStandaloneExprContext();
  info.expectedDesc = order.columns;
  info.allowedModes = SFRM_Materialize | SFRM_Materialize_Random;
  info.returnMode = SFRM_ValuePerCall;
  InitFunctionCallInfoData(*fcinfo, &function, list_length(order.call->args),
                           order.call->inputcollid, NULL,
                           order.columns != NULL ? (fmNodePtr)&info : NULL);
  ListCell* cell;
  int i = 0;
  foreach (cell, order.call->args) {
    const Const* argument = lfirst_node(Const, cell);
    fcinfo->args[i++] = {argument->constvalue, argument->constisnull};
  }
  result = &info;
  (void)FunctionCallInvoke(fcinfo);
  result = NULL;
  DPMIX_FAULT("release.made");
  if (returned.data != NULL) {
    send_message(channel, Message::bytes, returned.data, (Size)returned.len);
  }
  if (info.setResult == NULL) return;
  send_rows(info.setResult, info.setDesc);
  tuplestore_end(info.setResult);
}

// From here on this process may wait for locks, and its caller for this one of it.
void begin_locking() {
  take_order_lock(order_at_work());
  lock_held = order_at_work();
  send_message(channel, Message::locking, NULL, 0);
}

void let_go_of_order() {
  if (lock_held == 0) return;
  const uint64 held = lock_held;
  lock_held = 0;  // first: what is said of it would come here again
  release_order_lock(held);
}

// The caller looked at the rows' type before anything was locked.
void require_row_type() {
  if (result == NULL || result->setDesc == NULL) return;
  const TupleDesc type = result->setDesc;
  bool same = same_row_type(type, order.columns);
  if (same && type->tdtypeid != RECORDOID) {
    const TupleDesc now = lookup_rowtype_tupdesc_noerror(type->tdtypeid, type->tdtypmod, true);
    same = now != NULL && same_row_type(now, order.columns);
    if (now != NULL) ReleaseTupleDesc(now);
  }
  if (same) return;
  refuse(ErrorCode::ledger_unavailable, "the type of the rows has changed in the meantime",
         "The table was altered after this statement had looked at it. Nothing was charged.",
         "Try again.");
}

PQcommMethods queue = {};  // PostgreSQL's own

// Notices are PostgreSQL's to send. The caller must be awake to read what does not fit the queue.
// The error of a process that ends is sent so, too: nothing is locked after it, and no other error
// may come of it, which would be sent likewise.
int send_notice(char type, const char* text, size_t size) {
  const bool goes_on = lock_held != 0 && type != kErrorMessage;
  let_go_of_order();
  if (channel == NULL || !begin_message(channel)) return EOF;
  const int sent = queue.putmessage(type, text, size);
  end_message(channel);
  if (goes_on && sent == 0) begin_locking();
  return sent;
}

void redirect_notices() {
  static PQcommMethods methods = {};
  pq_redirect_to_shm_mq(channel->segment, channel->out);
  queue = methods = *PqCommMethods;
  methods.putmessage = send_notice;
  PqCommMethods = &methods;
}

void make_release() {
  Size size;
  const char* bytes = order_in(channel, &size);
  StartTransactionCommand();
  XactReadOnly = true;
  XactIsoLevel = XACT_REPEATABLE_READ;
  order = read_order(bytes, size);
  use_shipped_tables(order.tables);
  RestoreTransactionSnapshot(order.snapshot, order.caller);
  PushActiveSnapshot(GetTransactionSnapshot());
  begin_locking();
  DPMIX_FAULT("release.locked");
  SetUserIdAndSecContext(order.user, order.security | SECURITY_LOCAL_USERID_CHANGE);
  send_result();
  use_shipped_tables(NIL);
  PopActiveSnapshot();
  CommitTransactionCommand();
  lock_held = 0;
}

void write_in_own_transaction() {
  SetUserIdAndSecContext(order.user, 0);
  StartTransactionCommand();
  XactReadOnly = false;
  XactIsoLevel = XACT_READ_COMMITTED;
  PushActiveSnapshot(GetTransactionSnapshot());
  writing.write(writing.what);
  DPMIX_FAULT("release.written");
  PopActiveSnapshot();
  ForceSyncCommit();
  CommitTransactionCommand();
}

void put_field(StringInfo out, char field, const char* text) {
  if (text == NULL) return;
  appendStringInfoChar(out, field);
  appendBinaryStringInfo(out, text, (int)strlen(text) + 1);
}

// An error as PostgreSQL writes it to a client. After the charge, which error it was could tell of
// rows: the caller learns that there was one, and the server's log what it was.
StringInfo written_error(ErrorData* error) {
  if (charged && error->sqlerrcode != ERRCODE_QUERY_CANCELED) {
    ereport(LOG, (errmsg("dpmix: a release failed after its charge: %s", error->message)));
    error->sqlerrcode = sqlstate(ErrorCode::ledger_unavailable);
    error->message = pstrdup("the release failed after it was charged");
    error->detail = pstrdup("The charge stands; nothing was released.");
    error->hint = pstrdup("The server log says why.");
    error->context = NULL;
  }
  StringInfo out = makeStringInfo();
  put_field(out, PG_DIAG_SEVERITY, "ERROR");
  put_field(out, PG_DIAG_SEVERITY_NONLOCALIZED, "ERROR");
  put_field(out, PG_DIAG_SQLSTATE, unpack_sql_state(error->sqlerrcode));
  put_field(out, PG_DIAG_MESSAGE_PRIMARY, error->message);
  put_field(out, PG_DIAG_MESSAGE_DETAIL, error->detail);
  put_field(out, PG_DIAG_MESSAGE_HINT, error->hint);
  put_field(out, PG_DIAG_CONTEXT, error->context);
  if (error->cursorpos > 0) {
    put_field(out, PG_DIAG_STATEMENT_POSITION, psprintf("%d", error->cursorpos));
  }
  appendStringInfoChar(out, '\0');
  return out;
}

// Body holds nothing with a destructor. The error, or NULL.
template <class Body>
ErrorData* error_of(const Body& body) {
  MemoryContext context = CurrentMemoryContext;
  ErrorData* volatile error = NULL;
  PG_TRY();
  { body(); }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    error = CopyErrorData();
    FlushErrorState();
  }
  PG_END_TRY();
  MemoryContextSwitchTo(context);
  return error;
}

void recover() {
  use_shipped_tables(NIL);
  AbortCurrentTransaction();
  lock_held = 0;
  disable_all_timeouts(false);
  QueryCancelPending = false;
}

// The answer was charged, and is the caller's: what was not written is only charged again when it
// is asked again. Not so what must be written: the error.
ErrorData* write_what_is_left() {
  if (writing.write == NULL) return NULL;
  ErrorData* error = error_of([] { write_in_own_transaction(); });
  if (error == NULL || writing.must) return error;
  kept = false;
  (void)error_of([] { recover(); });
  (void)error_of([=] {
    ereport(LOG, (errmsg("dpmix: an answer was not kept: %s", error->message)));
    ereport(WARNING, (errmsg("this answer could not be kept in memory"),
                      errdetail("Asked again, it is charged again. The server log says why.")));
  });
  return NULL;
}

// False: the process is not fit for another one.
bool run_order(dsm_handle handle) {
  charged = kept = false;
  order = {};
  use_shipped_tables(NIL);
  result = NULL;
  returned = {};
  writing = {};
  lock_held = 0;
  begin_needs();
  channel = open_channel(handle);
  if (channel == NULL) return true;  // the caller left
  redirect_notices();
  ErrorData* error = error_of([] { make_release(); });
  if (error == NULL) error = write_what_is_left();
  if (error == NULL) {
    error = error_of([] { send_message(channel, Message::end, &kept, sizeof kept); });
  }
  if (error != NULL) {
    (void)error_of([] { recover(); });
    (void)error_of([=] {
      StringInfo written = written_error(error);
      send_message(channel, Message::error, written->data, (Size)written->len);
    });
  }
  (void)error_of([] { release_question_lock(); });
  const bool whole = !is_cut_short(channel);  // PostgreSQL, too, keeps in mind that it was
  close_channel(channel);
  channel = NULL;
  return whole;
}

}  // namespace

bool in_release_process() {
  return is_process;
}

Datum return_bytes(StringInfoData bytes) {
  returned = bytes;
  return (Datum)0;
}

StringInfoData order_attachment() {
  return order.attachment;
}

StringInfoData ask(Question kind, StringInfo question) {
  StringInfoData asked;
  initStringInfo(&asked);
  appendStringInfoChar(&asked, (char)kind);
  appendBinaryStringInfo(&asked, question->data, question->len);
  const bool locking = lock_held != 0;
  let_go_of_order();  // the caller must be awake to answer
  const StringInfoData answer = ask_caller(channel, &asked);
  if (locking) begin_locking();
  return answer;
}

int asking_pid() {
  return is_process ? order.caller_pid : MyProcPid;
}

void end_locking() {
  if (!charged) require_row_type();
  let_go_of_order();
}

void note_charged() {
  charged = true;
}

void note_kept() {
  kept = true;
}

MemoryContext order_memory() {
  return orders;
}

void write_after_release(void (*write)(void* what), void* what, bool must) {
  writing = {write, what, must};
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

void dpmix_release_main(Datum database) {
  uint64 generation;
  memcpy(&generation, MyBgworkerEntry->bgw_extra, sizeof generation);
  pqsignal(SIGTERM, die);
  pqsignal(SIGHUP, SignalHandlerForConfigReload);
  pqsignal(SIGINT, on_cancel);
  before_shmem_exit(leave_pool, (Datum)0);
  if (!enter_pool(generation)) proc_exit(0);
  BackgroundWorkerUnblockSignals();
  is_process = true;
  BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, 0);
  begin_process_settings();
  (void)set_own_code_only(true);  // for good
  // Catalogs and types that every release looks at are opened before the first order comes.
  orders = AllocSetContextCreate(TopMemoryContext, "dpmix release", ALLOCSET_DEFAULT_SIZES);
  CurrentResourceOwner = ResourceOwnerCreate(NULL, "dpmix release");
  for (;;) {
    MemoryContextSwitchTo(orders);
    const dsm_handle handle = next_order();
    if (handle == DSM_HANDLE_INVALID) break;
    if (ConfigReloadPending) {
      ConfigReloadPending = false;
      ProcessConfigFile(PGC_SIGHUP);
    }
    DPMIX_FAULT("release.taken");
    const bool fit = run_order(handle);
    // A process takes on one caller's temporary schema, and no other's after it. What it has of
    // the kernel it keeps.
    if (!fit || order.has_temporary || needs_are_large()) break;
    finish_order();
    QueryCancelPending = false;  // a signal may have come between the order's last step and here
    MemoryContextReset(orders);
  }
  proc_exit(0);
}
