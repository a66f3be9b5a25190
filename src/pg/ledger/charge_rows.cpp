#include "pg/ledger/charge_rows.hpp"

#include "pg/border/compat.hpp"
#include "pg/ledger/block_rows.hpp"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

AttrNumber column_of(TupleDesc columns, const char* name) {
  for (int i = 0; i < columns->natts; i++) {
    Form_pg_attribute column = TupleDescAttr(columns, i);
    if (!column->attisdropped && strcmp(NameStr(column->attname), name) == 0) return i + 1;
  }
  elog(ERROR, "dpmix.charge has no column \"%s\"", name);
}

void set_column(TupleTableSlot* slot, const char* name, Datum value) {
  AttrNumber column = column_of(slot->tts_tupleDescriptor, name);
  slot->tts_values[column - 1] = value;
  slot->tts_isnull[column - 1] = false;
}

void set_text(TupleTableSlot* slot, const char* name, const char* text) {
  set_column(slot, name, CStringGetTextDatum(text));
}

void set_numeric(TupleTableSlot* slot, const char* name, const char* decimal) {
  set_column(slot, name,
             DirectFunctionCall3(numeric_in, CStringGetDatum(decimal), ObjectIdGetDatum(InvalidOid),
                                 Int32GetDatum(-1)));
}

Relation primary_key(const ResultRelInfo* result) {
  for (int i = 0; i < result->ri_NumIndices; i++) {
    Relation index = result->ri_IndexRelationDescs[i];
    if (index->rd_index->indisprimary && index->rd_index->indisvalid) return index;
  }
  elog(ERROR, "dpmix.charge has no primary key");
}

}  // namespace

void open_charges(ChargeRows* rows, Oid table) {
  rows->table = table_open(table, NoLock);
  if (!OidIsValid(rows->sequence)) {
    rows->sequence = identity_sequence(rows->table, column_of(RelationGetDescr(rows->table), "id"));
  }
  rows->estate = CreateExecutorState();
  rows->result = makeNode(ResultRelInfo);
  InitResultRelInfo(rows->result, rows->table, 0, NULL, 0);
  ExecOpenIndices(rows->result, false);
  rows->slot = MakeSingleTupleTableSlot(RelationGetDescr(rows->table), &TTSOpsVirtual);
  AfterTriggerBeginQuery();
}

int64 newest_charge(const ChargeRows* rows) {
  Snapshot newest = RegisterSnapshot(GetLatestSnapshot());
  SysScanDesc scan =
      systable_beginscan_ordered(rows->table, primary_key(rows->result), newest, 0, NULL);
  HeapTuple tuple = systable_getnext_ordered(scan, BackwardScanDirection);
  TupleDesc columns = RelationGetDescr(rows->table);
  bool null;
  int64 id = HeapTupleIsValid(tuple)
                 ? DatumGetInt64(heap_getattr(tuple, column_of(columns, "id"), columns, &null))
                 : 0;
  systable_endscan_ordered(scan);
  UnregisterSnapshot(newest);
  return id;
}

int64 append_charge(const ChargeRows* rows, int64 newest, const ChargeOrder& order,
                    const ChargedAs& as, const ChargeCost& cost, ReceiptChain* chain) {
  int64 id = nextval_internal(rows->sequence, false);
  if (id <= newest) {
    ereport(ERROR, (errmsg("the sequence of dpmix.charge has gone back"),
                    errdetail("It gave " INT64_FORMAT " after " INT64_FORMAT ".", id, newest),
                    errhint("Set it to the largest id with setval().")));
  }
  TupleTableSlot* slot = rows->slot;
  ExecClearTuple(slot);
  memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
  set_column(slot, "id", Int64GetDatum(id));
  set_column(slot, "table_id", Int64GetDatum(order.table.id));
  set_text(slot, "relation", as.table);
  set_column(slot, "role", NameGetDatum(&order.role));
  set_column(slot, "role_number", Int64GetDatum(as.role_number));
  if (as.granted_number != 0) {
    set_column(slot, "granted_to", DirectFunctionCall1(namein, CStringGetDatum(as.granted_to)));
    set_column(slot, "granted_number", Int64GetDatum(as.granted_number));
  }
  const TimestampTz at = GetCurrentTimestamp();
  set_column(slot, "at", TimestampTzGetDatum(at));
  set_text(slot, "kind", order.kind);
  set_text(slot, "mechanism", order.mechanism);
  set_numeric(slot, "epsilon", cost.epsilon);
  set_numeric(slot, "delta", cost.delta);
  set_numeric(slot, "cost", cost.amount);
  set_numeric(slot, "cost_delta", cost.added_delta);
  Datum parameters = DirectFunctionCall1(jsonb_in, CStringGetDatum(order.parameters));
  set_column(slot, "parameters", parameters);
  const char* blocks = NULL;
  if (order.block_count > 0) {
    Oid input, argument, output;
    bool varlena;
    getTypeInputInfo(INT8MULTIRANGEOID, &input, &argument);
    Datum value =
        OidInputFunctionCall(input, ranges_text(order.blocks, order.block_count), argument, -1);
    set_column(slot, "blocks", value);
    getTypeOutputInfo(INT8MULTIRANGEOID, &output, &varlena);
    blocks = OidOutputFunctionCall(output, value);
  }
  if (order.release[0] != '\0') set_text(slot, "release", order.release);
  const Receipt receipt =
      receipt_of(order, cost, id, at, as.account, *chain, blocks, DatumGetJsonbP(parameters));
  set_column(slot, "salt", PointerGetDatum(receipt.salt));
  set_column(slot, "receipt", PointerGetDatum(receipt.lines));
  ExecStoreVirtualTuple(slot);
  rows->estate->es_output_cid = GetCurrentCommandId(true);
  ExecSimpleRelationInsert(rows->result, rows->estate, slot);
  // A trigger may withhold a row; nothing is released on its word.
  if (!ItemPointerIsValid(&slot->tts_tid)) elog(ERROR, "the row of the charge was not written");
  chain->head = receipt.hash;
  return id;
}

void close_charges(ChargeRows* rows) {
  AfterTriggerEndQuery(rows->estate);
  ExecDropSingleTupleTableSlot(rows->slot);
  ExecCloseIndices(rows->result);
  ExecCloseResultRelations(rows->estate);
  FreeExecutorState(rows->estate);
  table_close(rows->table, NoLock);
}

}  // namespace dpmix::pg
