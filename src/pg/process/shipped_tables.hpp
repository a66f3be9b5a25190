// Tables whose rows no other process can read: temporary ones of the caller's session. The caller
// reads them as itself, before a process is reserved, and their rows go along with the order.
//
// What they hold was the caller's before it asked: no row of a protected table is among what is
// shipped, unless the caller could read it anyway (query/read/temporary_tables.hpp).
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/tupdesc.h"
#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {

constexpr int kRowsDigestBytes = 32;

struct ShippedTable {
  Oid relation;
  double rows, most_rows, bytes;  // as the caller's session has its sizes
  TupleDesc type;                 // columns by the table's own numbers; dropped ones are NULL
  Tuplestorestate* store;         // in memory, to be read any number of times
  uint8 digest[kRowsDigestBytes];
};

// Of what a table holds, in the order in which it was read.
void digest_rows(const StringInfoData& rows, uint8 (&digest)[kRowsDigestBytes]);

// Caller. rows: a type by put_row_type(), then rows of put_shipped_row().
void put_shipped_table(StringInfo out, const ShippedTable& table, const StringInfoData& rows);
void put_shipped_row(StringInfo out, TupleDesc type, Datum* values, bool* nulls);

// Process: all that an order brought, of ShippedTable*. Raises for what is cut short.
List* get_shipped_tables(StringInfo in);
// Those of the order at hand; NIL: of none.
void use_shipped_tables(List* tables);
// NULL: its rows did not come along. In a session always.
const ShippedTable* shipped_table(Oid relation);

}  // namespace dpmix::pg
