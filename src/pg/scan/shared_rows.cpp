#include "pg/scan/shared_rows.hpp"

#include <climits>

#include "pg/border/result_rows.hpp"
#include "pg/border/subtransaction.hpp"
#include "pg/process/release_plan.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/parallel.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "storage/dsm.h"
#include "utils/guc.h"
#include "utils/queryenvironment.h"

PG_FUNCTION_INFO_V1(dpmix_held_rows);
PG_FUNCTION_INFO_V1(dpmix_held_rows_size);
}

namespace dpmix::pg {
namespace {

// The copy: this, a place for each table, then rows, each aligned.
struct Copy {
  int tables;
  struct Place {
    Size first;  // from the copy's begin
    int64 rows;
  } place[FLEXIBLE_ARRAY_MEMBER];
};

int shared = 0;             // the setting: a dsm_handle
const Copy* mapped = NULL;  // in a worker

Oid held_rows_function() {
  return dpmix_function("held_rows", {INT4OID, FLOAT8OID});
}

// Does something with each row, in the order in which they were read.
template <class Body>
void each_row(const RowsToShare& table, const Body& body) {
  TupleTableSlot* slot = MakeSingleTupleTableSlot(table.type, &TTSOpsMinimalTuple);
  tuplestore_select_read_pointer(table.store, 0);
  tuplestore_rescan(table.store);
  while (tuplestore_gettupleslot(table.store, true, false, slot)) body(slot);
  ExecDropSingleTupleTableSlot(slot);
}

Size copy_header(int tables) {
  return MAXALIGN(offsetof(Copy, place) + tables * sizeof(Copy::Place));
}

void detach(void* segment) {
  dsm_detach((dsm_segment*)segment);
}

// NULL: there is none to be had. It stays mapped until the current memory context ends.
dsm_segment* new_segment(Size bytes) {
  dsm_segment* segment = NULL;
  MemoryContextCallback* at_end =
      (MemoryContextCallback*)MemoryContextAllocZero(CurrentMemoryContext, sizeof *at_end);
  ErrorData* error = error_of([&] {
    segment = dsm_create(bytes, DSM_CREATE_NULL_IF_MAXSEGMENTS);
    if (segment != NULL) dsm_pin_mapping(segment);
  });
  if (error != NULL) {
    if (ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_INSUFFICIENT_RESOURCES) {
      ReThrowError(error);
    }
    FreeErrorData(error);
  }
  if (segment == NULL) return NULL;
  at_end->func = detach;
  at_end->arg = segment;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, at_end);
  return segment;
}

void put_mapped(const ResultRows& rows, int number) {
  if (mapped == NULL || number > mapped->tables) elog(ERROR, "no shared rows of table %d", number);
  const Copy::Place* place = &mapped->place[number - 1];
  TupleTableSlot* slot = MakeSingleTupleTableSlot(rows.type, &TTSOpsMinimalTuple);
  const char* at = (const char*)mapped + place->first;
  for (int64 i = 0; i < place->rows; i++) {
    const MinimalTuple row = (MinimalTuple)at;
    ExecStoreMinimalTuple(row, slot, false);
    tuplestore_puttupleslot(rows.store, slot);
    at += MAXALIGN(row->t_len);
  }
  ExecDropSingleTupleTableSlot(slot);
}

void put_held(const ResultRows& rows, QueryEnvironment* environment, int number) {
  const EphemeralNamedRelation held = get_ENR(environment, held_name(number));
  if (held == NULL) elog(ERROR, "no held table %d", number);
  each_row({(Tuplestorestate*)held->reldata, held->md.tupdesc},
           [&](TupleTableSlot* slot) { tuplestore_puttupleslot(rows.store, slot); });
}

}  // namespace

void shared_rows_init() {
  DefineCustomIntVariable(kSharedRows, "Where a parallel worker finds rows of public tables.", NULL,
                          &shared, 0, INT_MIN, INT_MAX, PGC_SUSET,
                          GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE | GUC_DISALLOW_IN_FILE, NULL, NULL,
                          NULL);
}

const char* held_name(int number) {
  return psprintf("dpmix held table %d", number);
}

void become_held_rows(RangeTblEntry* table, int number, TupleDesc columns, double rows) {
  List* arguments = list_make2(constant(INT4OID, InvalidOid, Int32GetDatum(number)),
                               constant(FLOAT8OID, InvalidOid, Float8GetDatum(rows)));
  FuncExpr* call = makeFuncExpr(held_rows_function(), RECORDOID, arguments, InvalidOid, InvalidOid,
                                COERCE_EXPLICIT_CALL);
  call->funcretset = true;
  RangeTblFunction* function = makeNode(RangeTblFunction);
  function->funcexpr = (Node*)call;
  function->funccolcount = columns->natts;
  become_nothing(table);
  table->rtekind = RTE_FUNCTION;
  table->functions = list_make1(function);
  table->eref = makeAlias(held_name(number), NIL);
  for (int i = 0; i < columns->natts; i++) {
    const FormData_pg_attribute* column = TupleDescAttr(columns, i);
    char* name = pstrdup(NameStr(column->attname));
    table->eref->colnames = lappend(table->eref->colnames, makeString(name));
    function->funccolnames = lappend(function->funccolnames, makeString(name));
    function->funccoltypes = lappend_oid(function->funccoltypes, column->atttypid);
    function->funccoltypmods = lappend_int(function->funccoltypmods, column->atttypmod);
    function->funccolcollations = lappend_oid(function->funccolcollations, column->attcollation);
  }
}

bool reads_held_rows(const FunctionScan* scan) {
  if (list_length(scan->functions) != 1) return false;
  const Node* call = linitial_node(RangeTblFunction, scan->functions)->funcexpr;
  return IsA(call, FuncExpr) && ((const FuncExpr*)call)->funcid == held_rows_function();
}

RowsSize size_of(const RowsToShare& table) {
  RowsSize size = {};
  each_row(table, [&](TupleTableSlot* slot) {
    bool must_free;
    size.bytes += MAXALIGN(ExecFetchSlotMinimalTuple(slot, &must_free)->t_len);
    size.rows++;
  });
  return size;
}

int share_rows(const List* tables, double bytes) {
  Size at = copy_header(list_length(tables));
  dsm_segment* segment = new_segment(at + (Size)bytes);
  if (segment == NULL) return 0;
  Copy* copy = (Copy*)dsm_segment_address(segment);
  copy->tables = list_length(tables);
  for (int i = 0; i < copy->tables; i++) {
    Copy::Place* place = &copy->place[i];
    *place = {at, 0};
    each_row(*(const RowsToShare*)list_nth(tables, i), [&](TupleTableSlot* slot) {
      bool must_free;
      const MinimalTuple row = ExecFetchSlotMinimalTuple(slot, &must_free);
      memcpy((char*)copy + at, row, row->t_len);
      at += MAXALIGN(row->t_len);
      place->rows++;
    });
  }
  return (int)dsm_segment_handle(segment);
}

void map_shared_rows(QueryDesc*) {
  if (!IsParallelWorker() || shared == 0 || mapped != NULL) return;
  dsm_segment* segment = dsm_attach((dsm_handle)shared);
  if (segment == NULL) elog(ERROR, "the shared rows are gone");
  dsm_pin_mapping(segment);  // the worker ends with its scan
  mapped = (const Copy*)dsm_segment_address(segment);
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_held_rows(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  const int number = PG_GETARG_INT32(0);
  const ResultRows rows = begin_rows(fcinfo, true);
  if (IsParallelWorker()) {
    put_mapped(rows, number);
  } else {
    const EState* state = ((const ReturnSetInfo*)fcinfo->resultinfo)->econtext->ecxt_estate;
    put_held(rows, state->es_queryEnv, number);
  }
  return (Datum)0;
}

Datum dpmix_held_rows_size(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  SupportRequestRows* request = (SupportRequestRows*)PG_GETARG_POINTER(0);
  if (!IsA(request, SupportRequestRows) || !IsA(request->node, FuncExpr)) PG_RETURN_POINTER(NULL);
  const List* arguments = ((const FuncExpr*)request->node)->args;
  request->rows = DatumGetFloat8(lsecond_node(Const, arguments)->constvalue);
  PG_RETURN_POINTER(request);
}
}
