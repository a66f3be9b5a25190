#include "pg/query/answer/released_rows.hpp"

extern "C" {
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"
}

#include "pg/query/answer/value_errors.hpp"

namespace dpmix::pg {

struct ReleasedRows {
  const ReleasedColumns* columns;
  const RowReceiver* receive;
  ExprContext* context;
  TupleTableSlot* released;
  ExprState* having;
  ExprState** output;    // hidden ones too
  TupleTableSlot* made;  // outputs, and the number of the row where they are sorted
  bool fallible;         // whether any of it can fail
  Tuplesortstate* sort;  // NULL: no ORDER BY
  SortSupport ties;      // one for each order
  int64 number, skip, left;
};

namespace {

bool can_fail(const Expr* expression) {
  return expression != NULL && !IsA(expression, Var) && !IsA(expression, Const);
}

int all_columns(const ReleasedColumns* columns) {
  return columns->columns + columns->hidden;
}

TupleDesc made_type(const ReleasedColumns* columns) {
  const int count = all_columns(columns), sorted = columns->orders > 0;
  TupleDesc type = CreateTemplateTupleDesc(count + sorted);
  for (int i = 0; i < count; i++) {
    const Node* value = (const Node*)columns->column[i].expression;
    TupleDescInitEntry(type, i + 1, NULL, exprType(value), exprTypmod(value), 0);
    TupleDescInitEntryCollation(type, i + 1, exprCollation(value));
  }
  if (sorted) TupleDescInitEntry(type, count + 1, NULL, INT8OID, -1, 0);
  return type;
}

// The number of the row is the last key: rows that compare equal stay in order.
void begin_sort(ReleasedRows* rows, TupleDesc made) {
  const int keys = rows->columns->orders;
  AttrNumber* column = (AttrNumber*)palloc(sizeof(AttrNumber) * (keys + 1));
  Oid* less = (Oid*)palloc(sizeof(Oid) * (keys + 1));
  Oid* collation = (Oid*)palloc(sizeof(Oid) * (keys + 1));
  bool* nulls_first = (bool*)palloc(sizeof(bool) * (keys + 1));
  rows->ties = (SortSupport)palloc0(sizeof(SortSupportData) * keys);
  for (int i = 0; i < keys; i++) {
    const ReleasedOrder* order = &rows->columns->order[i];
    column[i] = order->column + 1;
    less[i] = order->less;
    collation[i] = order->collation;
    nulls_first[i] = order->nulls_first;
    SortSupport tie = &rows->ties[i];
    tie->ssup_cxt = CurrentMemoryContext;
    tie->ssup_collation = order->collation;
    tie->ssup_nulls_first = order->nulls_first;
    tie->ssup_attno = order->column + 1;
    PrepareSortSupportFromOrderingOp(order->less, tie);
  }
  column[keys] = made->natts;
  less[keys] = Int8LessOperator;
  collation[keys] = InvalidOid;
  nulls_first[keys] = false;
  rows->sort = tuplesort_begin_heap(made, keys + 1, column, less, collation, nulls_first, work_mem,
                                    NULL, TUPLESORT_NONE);
}

void evaluate(ReleasedRows* rows, int i) {
  rows->made->tts_values[i] =
      ExecEvalExpr(rows->output[i], rows->context, &rows->made->tts_isnull[i]);
}

bool is_wanted(ReleasedRows* rows) {
  return rows->having == NULL || ExecQual(rows->having, rows->context);
}

// False: HAVING is not true. All of a row at once, and only where that fails each part by itself.
bool make_row(ReleasedRows* rows) {
  bool wanted = false;
  const auto all = [&] {
    wanted = is_wanted(rows);
    for (int i = 0; wanted && i < all_columns(rows->columns); i++) evaluate(rows, i);
  };
  if (!rows->fallible) {
    all();
    return wanted;
  }
  if (without_value_errors(all)) return wanted;
  if (!without_value_errors([&] { wanted = is_wanted(rows); }) || !wanted) return false;
  for (int i = 0; i < all_columns(rows->columns); i++) {
    if (without_value_errors([&] { evaluate(rows, i); })) continue;
    rows->made->tts_values[i] = (Datum)0;
    rows->made->tts_isnull[i] = true;
  }
  return true;
}

// Hands a row out if it comes after OFFSET and within LIMIT.
void hand_out(ReleasedRows* rows, TupleTableSlot* row) {
  if (rows->skip > 0) {
    rows->skip--;
    return;
  }
  if (rows->left == 0) return;
  if (rows->left != kAllRows) rows->left--;
  slot_getallattrs(row);
  MemoryContext old = MemoryContextSwitchTo(rows->context->ecxt_per_tuple_memory);
  (*rows->receive)(row->tts_values, row->tts_isnull);
  MemoryContextSwitchTo(old);
}

bool are_ties(const ReleasedRows* rows, TupleTableSlot* a, TupleTableSlot* b) {
  for (int i = 0; i < rows->columns->orders; i++) {
    SortSupport tie = &rows->ties[i];
    bool null_a, null_b;
    const Datum value_a = slot_getattr(a, tie->ssup_attno, &null_a);
    const Datum value_b = slot_getattr(b, tie->ssup_attno, &null_b);
    if (ApplySortComparator(value_a, null_a, value_b, null_b, tie) != 0) return false;
  }
  return true;
}

void hand_out_sorted(ReleasedRows* rows) {
  const TupleDesc type = rows->made->tts_tupleDescriptor;
  TupleTableSlot* row = MakeSingleTupleTableSlot(type, &TTSOpsMinimalTuple);
  TupleTableSlot* before = MakeSingleTupleTableSlot(type, &TTSOpsMinimalTuple);
  tuplesort_performsort(rows->sort);
  while (rows->columns->limit != 0 && tuplesort_gettupleslot(rows->sort, true, true, row, NULL)) {
    CHECK_FOR_INTERRUPTS();
    ResetExprContext(rows->context);
    if (rows->left == 0) {
      if (!rows->columns->with_ties || !are_ties(rows, before, row)) break;
      rows->left = 1;
    }
    hand_out(rows, row);
    TupleTableSlot* other = before;
    before = row;
    row = other;
  }
  ExecDropSingleTupleTableSlot(row);
  ExecDropSingleTupleTableSlot(before);
  tuplesort_end(rows->sort);
}

}  // namespace

ReleasedRows* released_rows(const QueryShape* shape, const RowReceiver& receive) {
  const ReleasedColumns* columns = shape->released;
  ReleasedRows* rows = (ReleasedRows*)palloc0(sizeof(ReleasedRows));
  rows->columns = columns;
  rows->receive = &receive;
  rows->skip = columns->offset;
  rows->left = columns->limit;
  rows->context = CreateStandaloneExprContext();
  rows->released = MakeSingleTupleTableSlot(released_type(shape), &TTSOpsVirtual);
  rows->context->ecxt_scantuple = rows->released;
  // Here the right to execute each function is checked.
  if (columns->having != NULL) {
    rows->having = ExecInitQual(list_make1(columns->having), NULL);
    rows->fallible = can_fail(columns->having);
  }
  rows->output = (ExprState**)palloc(sizeof(ExprState*) * all_columns(columns));
  for (int i = 0; i < all_columns(columns); i++) {
    rows->output[i] = ExecInitExpr(columns->column[i].expression, NULL);
    rows->fallible = rows->fallible || can_fail(columns->column[i].expression);
  }
  TupleDesc made = made_type(columns);
  rows->made = MakeSingleTupleTableSlot(made, &TTSOpsVirtual);
  if (columns->orders > 0) begin_sort(rows, made);
  return rows;
}

void put_released_row(ReleasedRows* rows, const Datum* values, const bool* nulls) {
  CHECK_FOR_INTERRUPTS();
  if (rows->sort == NULL && rows->left == 0) return;
  ResetExprContext(rows->context);
  const int width = rows->released->tts_tupleDescriptor->natts;
  ExecClearTuple(rows->released);
  memcpy(rows->released->tts_values, values, sizeof(Datum) * width);
  memcpy(rows->released->tts_isnull, nulls, sizeof(bool) * width);
  ExecStoreVirtualTuple(rows->released);

  ExecClearTuple(rows->made);
  MemoryContext old = MemoryContextSwitchTo(rows->context->ecxt_per_tuple_memory);
  const bool wanted = make_row(rows);
  MemoryContextSwitchTo(old);
  if (!wanted) return;
  if (rows->sort != NULL) {
    const int number = all_columns(rows->columns);
    rows->made->tts_values[number] = Int64GetDatum(rows->number++);
    rows->made->tts_isnull[number] = false;
  }
  ExecStoreVirtualTuple(rows->made);
  if (rows->sort != NULL) {
    tuplesort_puttupleslot(rows->sort, rows->made);
  } else {
    hand_out(rows, rows->made);
  }
}

void end_released_rows(ReleasedRows* rows) {
  if (rows->sort != NULL) hand_out_sorted(rows);
}

}  // namespace dpmix::pg
