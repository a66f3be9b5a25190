#include "pg/process/shipped_tables.hpp"

#include <openssl/evp.h>

#include "pg/border/compat.hpp"
#include "pg/border/row_type.hpp"

extern "C" {
#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

List* of_order = NIL;  // of ShippedTable*, in its memory

void get_rows(StringInfo in, ShippedTable* table) {
  const int begin = in->cursor;
  table->type = get_row_type(in);
  if (table->type == NULL) elog(ERROR, "a table without columns");
  table->store = tuplestore_begin_heap(true, false, MAX_KILOBYTES);
  TupleTableSlot* slot = MakeSingleTupleTableSlot(table->type, &TTSOpsMinimalTuple);
  while (in->cursor < in->len) {
    const Size size = pq_getmsgint(in, 4);
    // A copy: in the message a row may begin anywhere.
    MinimalTuple row = (MinimalTuple)memcpy(palloc(size), pq_getmsgbytes(in, (int)size), size);
    if (!row_fits(row, size, table->type)) elog(ERROR, "a row of another type");
    ExecStoreMinimalTuple(row, slot, true);
    tuplestore_puttupleslot(table->store, slot);
    CHECK_FOR_INTERRUPTS();
  }
  ExecDropSingleTupleTableSlot(slot);
  const StringInfoData rows = {in->data + begin, in->len - begin, in->len - begin, 0};
  digest_rows(rows, table->digest);
}

}  // namespace

void digest_rows(const StringInfoData& rows, uint8 (&digest)[kRowsDigestBytes]) {
  unsigned int size = 0;
  if (EVP_Digest(rows.data, (size_t)rows.len, digest, &size, EVP_sha256(), NULL) != 1 ||
      size != sizeof digest) {
    elog(ERROR, "no digest of rows could be made");
  }
}

void put_shipped_table(StringInfo out, const ShippedTable& table, const StringInfoData& rows) {
  pq_sendint32(out, table.relation);
  pq_sendfloat8(out, table.rows);
  pq_sendfloat8(out, table.most_rows);
  pq_sendfloat8(out, table.bytes);
  pq_sendint32(out, (uint32)rows.len);
  appendBinaryStringInfo(out, rows.data, rows.len);
}

void put_shipped_row(StringInfo out, TupleDesc type, Datum* values, bool* nulls) {
  MinimalTuple row = form_minimal_tuple(type, values, nulls);
  pq_sendint32(out, row->t_len);
  appendBinaryStringInfo(out, (const char*)row, (int)row->t_len);
  heap_free_minimal_tuple(row);
}

List* get_shipped_tables(StringInfo in) {
  List* tables = NIL;
  while (in->cursor < in->len) {
    ShippedTable* table = (ShippedTable*)palloc0(sizeof(ShippedTable));
    table->relation = pq_getmsgint(in, 4);
    table->rows = pq_getmsgfloat8(in);
    table->most_rows = pq_getmsgfloat8(in);
    table->bytes = pq_getmsgfloat8(in);
    const int size = (int)pq_getmsgint(in, 4);
    StringInfoData rows = {(char*)pq_getmsgbytes(in, size), size, size, 0};
    get_rows(&rows, table);
    tables = lappend(tables, table);
  }
  return tables;
}

void use_shipped_tables(List* tables) {
  of_order = tables;
}

const ShippedTable* shipped_table(Oid relation) {
  const ListCell* cell;
  foreach (cell, of_order) {
    const ShippedTable* table = (const ShippedTable*)lfirst(cell);
    if (table->relation == relation) return table;
  }
  return NULL;
}

}  // namespace dpmix::pg
