// Rows that cross a border, and rows whose type was looked up before: they are read as of a type
// only after both were compared with it.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/htup.h"
#include "access/tupdesc.h"
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

// Writes a row type as a message: name, type and layout of each column.
void put_row_type(StringInfo out, TupleDesc type);
// NULL: it has no columns. Raises where it is cut short, or names a type that is not there.
TupleDesc get_row_type(StringInfo in);
// Column by column.
bool is_row_type(const StringInfoData* message, TupleDesc type);
bool same_row_type(TupleDesc a, TupleDesc b);

// Whether all of the row's values, read as of this type, lie within its bytes, and none elsewhere.
bool row_fits(const HeapTupleHeaderData* row, Size size, TupleDesc type);
bool row_fits(const MinimalTupleData* row, Size size, TupleDesc type);

// Numbers the row's type, for callers that keep it from row to row: the number is another when the
// type is another, or was altered.
uint64 row_type_number(const HeapTupleHeaderData* row);
// The values of a row of this type; PV005 where its bytes are not laid out so: made before the type
// was altered.
void read_row(HeapTupleHeader row, TupleDesc type, Datum* values, bool* nulls);

}  // namespace dpmix::pg
