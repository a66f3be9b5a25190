// Rows that a caller passes to a model, read by the names of their columns.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/rows/number_type.hpp"

extern "C" {
#include "access/htup.h"
#include "access/tupdesc.h"
}

namespace dpmix::pg {

struct NamedColumns {
  MemoryContext memory;  // holds what was found in the type, until a row of another one comes
  uint64 type;           // row_type_number(); 0: none yet
  TupleDesc desc;
  Datum* values;
  bool* nulls;
};
NamedColumns named_columns();  // in the current memory context

// The values of a row. find(): looks columns up, in a type that is not that of the row before.
void read_named(NamedColumns* columns, HeapTupleHeader row, Callable<void()> find);

int column_named(const NamedColumns& columns, const char* name);  // -1: none
// release: whose column it is; PV005.
int required_column(const NamedColumns& columns, const char* name, const char* release);
Oid column_type(const NamedColumns& columns, int column);  // the type below domains

struct RowNumber {  // a column that holds what a model's does
  int column;
  Oid type;
  NumberCast cast;
};
// modelled: the type of the model's; PV005.
RowNumber number_in(const NamedColumns& columns, int column, const char* name, Oid modelled);
double number_of(const NamedColumns& columns, const RowNumber& number);  // NaN: it is missing

}  // namespace dpmix::pg
