#include "pg/process/order.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/settings.hpp"
#include "pg/catalog/blocks_read.hpp"

extern "C" {
#include "access/parallel.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "nodes/makefuncs.h"
#include "storage/proc.h"
#include "utils/lsyscache.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"
}

namespace dpmix::pg {
namespace {

// What the caller may choose: these decide on what a text means and on how values are written, and
// on whether workers take part; never on what of the rows is seen.
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
};

void put_bytes(StringInfo out, const void* bytes, Size size) {
  pq_sendint32(out, (uint32)size);
  appendBinaryStringInfo(out, (const char*)bytes, (int)size);
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

FuncExpr* call_of(FunctionCallInfo fcinfo) {
  List* arguments = NIL;
  for (int i = 0; i < fcinfo->nargs; i++) {
    const Oid type = get_fn_expr_argtype(fcinfo->flinfo, i);
    int16 length;
    bool by_value;
    get_typlenbyval(type, &length, &by_value);
    Datum value = fcinfo->args[i].value;
    const bool null = fcinfo->args[i].isnull;
    if (!null && length == -1) value = PointerGetDatum(PG_DETOAST_DATUM(value));
    arguments = lappend(arguments,
                        makeConst(type, -1, get_typcollation(type), length, value, null, by_value));
  }
  const Oid function = fcinfo->flinfo->fn_oid;
  return makeFuncExpr(function, get_fn_expr_rettype(fcinfo->flinfo), arguments, InvalidOid,
                      fcinfo->fncollation, COERCE_EXPLICIT_CALL);
}

void put_columns(StringInfo out, TupleDesc columns) {
  pq_sendint32(out, columns == NULL ? 0 : columns->natts);
  for (int i = 0; columns != NULL && i < columns->natts; i++) {
    const FormData_pg_attribute* column = TupleDescAttr(columns, i);
    put_text(out, NameStr(column->attname));
    pq_sendint32(out, column->atttypid);
    pq_sendint32(out, column->atttypmod);
    pq_sendint32(out, column->attcollation);
  }
}

TupleDesc get_columns(StringInfo in) {
  const int count = (int)pq_getmsgint(in, 4);
  if (count == 0) return NULL;
  TupleDesc columns = CreateTemplateTupleDesc(count);
  for (int i = 0; i < count; i++) {
    const char* name = get_text(in);
    const Oid type = pq_getmsgint(in, 4);
    const int32 typmod = (int32)pq_getmsgint(in, 4);
    const bool dropped = !OidIsValid(type);
    TupleDescInitEntry(columns, (AttrNumber)(i + 1), name, dropped ? INT4OID : type, typmod, 0);
    TupleDescAttr(columns, i)->attisdropped = dropped;
    TupleDescInitEntryCollation(columns, (AttrNumber)(i + 1), pq_getmsgint(in, 4));
  }
  return columns;
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

void put_snapshot(StringInfo out) {
  const Snapshot active = GetActiveSnapshot();
  if (!IsMVCCSnapshot(active)) elog(ERROR, "a release needs an ordinary snapshot");
  SnapshotData seen = *active;
  const TransactionId own = GetTopTransactionIdIfAny();
  if (TransactionIdIsValid(own)) {
    seen.xip = (TransactionId*)palloc(sizeof(TransactionId) * (active->xcnt + 1));
    memcpy(seen.xip, active->xip, sizeof(TransactionId) * active->xcnt);
    seen.xip[seen.xcnt++] = own;
    // All subtransactions are looked up, and are those of their top transaction.
    seen.subxcnt = 0;
    seen.suboverflowed = true;
  }
  const Size size = EstimateSnapshotSpace(&seen);
  char* bytes = (char*)palloc(size);
  SerializeSnapshot(&seen, bytes);
  put_bytes(out, bytes, size);
}

// What is below LOG tells of the process, which others have used before.
const char* setting_of_process(const char* name) {
  if (strcmp(name, "client_min_messages") == 0 && client_min_messages < LOG) return "log";
  const char* value = GetConfigOption(name, true, false);
  return value != NULL ? value : "";
}

}  // namespace

StringInfo write_order(FunctionCallInfo fcinfo, TupleDesc columns,
                       const StringInfoData* attachment) {
  StringInfo out = makeStringInfo();
  Oid user;
  int security;
  GetUserIdAndSecContext(&user, &security);
  pq_sendint32(out, user);
  pq_sendint32(out, (uint32)security);
  pq_sendint64(out, (uint64)(uintptr_t)MyProc);
  pq_sendint32(out, (uint32)MyProcPid);
  put_times(out);
  put_snapshot(out);
  Oid temporary, toast;
  GetTempNamespaceState(&temporary, &toast);
  pq_sendint32(out, temporary);
  pq_sendint32(out, toast);
  pq_sendint32(out, lengthof(kFromCaller));
  for (const char* name : kFromCaller) {
    put_text(out, name);
    put_text(out, setting_of_process(name));
  }
  put_columns(out, columns);
  put_bytes(out, attachment != NULL ? attachment->data : "",
            attachment != NULL ? (Size)attachment->len : 0);
  put_text(out, nodeToString(call_of(fcinfo)));
  return out;
}

Order read_order(const char* bytes, Size size) {
  StringInfoData in = {(char*)bytes, (int)size, (int)size, 0};
  Order order = {};
  order.user = pq_getmsgint(&in, 4);
  order.security = (int)pq_getmsgint(&in, 4);
  order.caller = (PGPROC*)(uintptr_t)pq_getmsgint64(&in);
  order.caller_pid = (int)pq_getmsgint(&in, 4);
  take_times(&in);
  Size snapshot_size;
  const char* snapshot = get_bytes(&in, &snapshot_size);
  char* aligned = (char*)palloc(snapshot_size);
  memcpy(aligned, snapshot, snapshot_size);
  order.snapshot = RestoreSnapshot(aligned);
  const Oid temporary = pq_getmsgint(&in, 4), toast = pq_getmsgint(&in, 4);
  order.has_temporary = OidIsValid(temporary);
  if (order.has_temporary) SetTempNamespaceState(temporary, toast);
  const int settings = (int)pq_getmsgint(&in, 4);
  for (int i = 0; i < settings; i++) {
    const char* name = get_text(&in);
    const char* value = get_text(&in);
    (void)set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0,
                            false);
  }
  order.columns = get_columns(&in);
  Size attached;
  const char* attachment = get_bytes(&in, &attached);
  initStringInfo(&order.attachment);
  appendBinaryStringInfo(&order.attachment, attachment, (int)attached);
  order.call = castNode(FuncExpr, stringToNode(get_text(&in)));
  return order;
}

}  // namespace dpmix::pg
