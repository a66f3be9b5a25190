#include "pg/process/order.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/message.hpp"
#include "pg/border/row_type.hpp"
#include "pg/border/settings.hpp"
#include "pg/catalog/blocks_read.hpp"
#include "pg/process/shipped_tables.hpp"

extern "C" {
#include "access/parallel.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "nodes/makefuncs.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/lsyscache.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {
namespace {

// What the caller may choose: these decide on what a text means and on how values are written, on
// whether workers take part, and, a superuser, on how much memory there is; never on what of the
// rows is seen.
constexpr const char* kFromCaller[] = {
    "search_path",
    "TimeZone",
    "timezone_abbreviations",
    "DateStyle",
    "IntervalStyle",
    "extra_float_digits",
    "bytea_output",
    "lc_messages",
    "lc_monetary",
    "lc_numeric",
    "lc_time",
    "standard_conforming_strings",
    "backslash_quote",
    "escape_string_warning",
    "array_nulls",
    "transform_null_equals",
    "default_text_search_config",
    "xmloption",
    "client_min_messages",
    "temp_file_limit",
    "work_mem",
    "temp_tablespaces",
    "max_parallel_workers_per_gather",
    "parallel_setup_cost",
    "parallel_tuple_cost",
    "min_parallel_table_scan_size",
    "dpmix.scan_memory",
};

void put_bytes(StringInfo out, const void* bytes, Size size) {
  pq_sendint32(out, (uint32)size);
  appendBinaryStringInfo(out, (const char*)bytes, (int)size);
}
void put_message(StringInfo out, const StringInfoData* message) {
  put_bytes(out, message != NULL ? message->data : "", message != NULL ? (Size)message->len : 0);
}
void put_text(StringInfo out, const char* text) {
  put_bytes(out, text, strlen(text) + 1);
}
const char* get_bytes(StringInfo in, Size* size) {
  *size = pq_getmsgint(in, 4);
  return pq_getmsgbytes(in, (int)*size);
}
char* get_text(StringInfo in) {
  Size size;
  const char* bytes = get_bytes(in, &size);
  return pnstrdup(bytes, size);
}

void put_value(StringInfo out, Oid type, Datum value) {
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  if (by_value) return put_bytes(out, &value, sizeof value);
  if (length == -1) return put_varlena(out, PG_DETOAST_DATUM(value));
  put_bytes(out, DatumGetPointer(value),
            length == -2 ? strlen(DatumGetCString(value)) + 1 : (Size)length);
}

Const* get_constant(StringInfo in) {
  const Oid type = pq_getmsgint(in, 4);
  const bool null = pq_getmsgbyte(in) != 0;
  if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type))) elog(ERROR, "a value of no type");
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  Datum value = 0;
  if (!null && !by_value && length == -1) {
    value = PointerGetDatum(get_varlena(in));
  } else if (!null) {
    Size size;
    const char* bytes = get_bytes(in, &size);
    const Size expected = by_value       ? sizeof value
                          : length == -2 ? strnlen(bytes, size) + 1
                                         : (Size)length;
    if (size != expected) elog(ERROR, "a value of another length");
    if (by_value) {
      memcpy(&value, bytes, sizeof value);
    } else {
      value = PointerGetDatum(memcpy(palloc(size), bytes, size));
    }
  }
  return makeConst(type, -1, get_typcollation(type), length, value, null, by_value);
}

void put_call(StringInfo out, FunctionCallInfo fcinfo) {
  pq_sendint32(out, fcinfo->flinfo->fn_oid);
  pq_sendint32(out, get_fn_expr_rettype(fcinfo->flinfo));
  pq_sendint32(out, fcinfo->fncollation);
  pq_sendint16(out, (uint16)fcinfo->nargs);
  for (int i = 0; i < fcinfo->nargs; i++) {
    const Oid type = get_fn_expr_argtype(fcinfo->flinfo, i);
    const NullableDatum argument = fcinfo->args[i];
    pq_sendint32(out, type);
    pq_sendbyte(out, argument.isnull);
    if (!argument.isnull) put_value(out, type, argument.value);
  }
}

FuncExpr* get_call(StringInfo in) {
  const Oid function = pq_getmsgint(in, 4), type = pq_getmsgint(in, 4);
  const Oid collation = pq_getmsgint(in, 4);
  const int count = (int)pq_getmsgint(in, 2);
  if (count > FUNC_MAX_ARGS) elog(ERROR, "a call with %d arguments", count);
  List* arguments = NIL;
  for (int i = 0; i < count; i++) arguments = lappend(arguments, get_constant(in));
  return makeFuncExpr(function, type, arguments, InvalidOid, collation, COERCE_EXPLICIT_CALL);
}

void put_times(StringInfo out) {
  pq_sendint64(out, (uint64)GetCurrentTransactionStartTimestamp());
  pq_sendint64(out, (uint64)GetCurrentStatementStartTimestamp());
  pq_sendint64(out, (uint64)end_of_blocks());
}

void take_times(StringInfo in) {
  const auto transaction = (TimestampTz)pq_getmsgint64(in);
  const auto statement = (TimestampTz)pq_getmsgint64(in);
  const int number = ParallelWorkerNumber;
  ParallelWorkerNumber = 0;  // an assertion of PostgreSQL's keeps others from this
  SetParallelStartTimestamps(transaction, statement);
  ParallelWorkerNumber = number;
  end_blocks_at((TimestampTz)pq_getmsgint64(in));
}

void put_xids(StringInfo out, const TransactionId* xids, int count) {
  pq_sendint32(out, (uint32)count);
  for (int i = 0; i < count; i++) pq_sendint32(out, xids[i]);
}

TransactionId* get_xids(StringInfo in, int most, uint32* count) {
  *count = pq_getmsgint(in, 4);
  if (*count > (uint32)most) elog(ERROR, "a snapshot of %u transactions", *count);
  TransactionId* xids = (TransactionId*)palloc(sizeof(TransactionId) * Max(*count, 1u));
  for (uint32 i = 0; i < *count; i++) xids[i] = pq_getmsgint(in, 4);
  return xids;
}

void put_snapshot(StringInfo out) {
  const Snapshot active = GetActiveSnapshot();
  if (!IsMVCCSnapshot(active)) elog(ERROR, "a release needs an ordinary snapshot");
  const TransactionId own = GetTopTransactionIdIfAny();
  TransactionId* running = (TransactionId*)palloc(sizeof(TransactionId) * ((Size)active->xcnt + 1));
  memcpy(running, active->xip, sizeof(TransactionId) * active->xcnt);
  int count = (int)active->xcnt;
  // All subtransactions are looked up, and are those of their top transaction.
  const bool looked_up = TransactionIdIsValid(own) || active->suboverflowed;
  if (TransactionIdIsValid(own)) running[count++] = own;
  pq_sendint32(out, active->xmin);
  pq_sendint32(out, active->xmax);
  pq_sendbyte(out, looked_up);
  put_xids(out, running, count);
  put_xids(out, active->subxip, looked_up ? 0 : active->subxcnt);
}

Snapshot get_snapshot(StringInfo in) {
  SnapshotData* seen = (SnapshotData*)palloc0(sizeof(SnapshotData));
  seen->snapshot_type = SNAPSHOT_MVCC;
  seen->xmin = pq_getmsgint(in, 4);
  seen->xmax = pq_getmsgint(in, 4);
  seen->suboverflowed = pq_getmsgbyte(in) != 0;
  seen->xip = get_xids(in, GetMaxSnapshotXidCount(), &seen->xcnt);
  uint32 below;
  seen->subxip = get_xids(in, GetMaxSnapshotSubxidCount(), &below);
  seen->subxcnt = (int32)below;
  seen->copied = true;
  if (!TransactionIdIsNormal(seen->xmin) || TransactionIdPrecedes(seen->xmax, seen->xmin)) {
    elog(ERROR, "a snapshot of no time");
  }
  return seen;
}

// What is below LOG tells of the process, which others have used before.
const char* setting_of_process(const char* name) {
  if (strcmp(name, "client_min_messages") == 0 && client_min_messages < LOG) return "log";
  const char* value = GetConfigOption(name, true, false);
  return value != NULL ? value : "";
}

// It is valid, as the caller has it: what fails is to make room for it (a time zone has a file).
void take_setting(const char* name, const char* value) {
  const char* now = GetConfigOption(name, true, false);
  if (now != NULL && strcmp(now, value) == 0) return;  // a file is read for some
  if (set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, DEBUG1,
                        false) == 0) {
    ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
                    errdetail("The process has no room for setting \"%s\".", name)));
  }
}

}  // namespace

StringInfo write_order(FunctionCallInfo fcinfo, TupleDesc columns, const StringInfoData* attachment,
                       const StringInfoData* tables) {
  StringInfo out = makeStringInfo();
  Oid user;
  int security;
  GetUserIdAndSecContext(&user, &security);
  pq_sendint32(out, user);
  pq_sendint32(out, (uint32)security);
  pq_sendint32(out, (uint32)MyProcPid);
  put_times(out);
  put_snapshot(out);
  Oid temporary, toast;
  GetTempNamespaceState(&temporary, &toast);
  pq_sendint32(out, temporary);
  pq_sendint32(out, toast);
  for (const char* name : kFromCaller) put_text(out, setting_of_process(name));
  put_row_type(out, columns);
  put_message(out, attachment);
  put_message(out, tables);
  put_call(out, fcinfo);
  return out;
}

Order read_order(const char* bytes, Size size) {
  StringInfoData in = {(char*)bytes, (int)size, (int)size, 0};
  Order order = {};
  order.user = pq_getmsgint(&in, 4);
  order.security = (int)pq_getmsgint(&in, 4);
  order.caller_pid = (int)pq_getmsgint(&in, 4);
  order.caller = BackendPidGetProc(order.caller_pid);
  if (order.caller == NULL) elog(ERROR, "an order of nobody's");
  take_times(&in);
  order.snapshot = get_snapshot(&in);
  const Oid temporary = pq_getmsgint(&in, 4), toast = pq_getmsgint(&in, 4);
  order.has_temporary = OidIsValid(temporary);
  if (order.has_temporary) SetTempNamespaceState(temporary, toast);
  for (const char* name : kFromCaller) take_setting(name, get_text(&in));
  order.columns = get_row_type(&in);
  Size attached;
  const char* attachment = get_bytes(&in, &attached);
  initStringInfo(&order.attachment);
  appendBinaryStringInfo(&order.attachment, attachment, (int)attached);
  Size shipped;
  const char* tables = get_bytes(&in, &shipped);
  order.call = get_call(&in);
  pq_getmsgend(&in);
  StringInfoData rows = {(char*)tables, (int)shipped, (int)shipped, 0};
  order.tables = get_shipped_tables(&rows);
  return order;
}

}  // namespace dpmix::pg
