#include "pg/rows/named_columns.hpp"

#include <limits>

#include "pg/border/guard.hpp"
#include "pg/border/row_type.hpp"
#include "pg/rows/to_float8.hpp"

extern "C" {
#include "access/htup_details.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {

NamedColumns named_columns() {
  NamedColumns columns = {};
  columns.memory = AllocSetContextCreate(CurrentMemoryContext, "dpmix row", ALLOCSET_SMALL_SIZES);
  return columns;
}

void read_named(NamedColumns* columns, HeapTupleHeader row, Callable<void()> find) {
  const uint64 number = row_type_number(row);
  if (columns->type != number) {
    columns->type = 0;
    MemoryContextReset(columns->memory);
    MemoryContext outer = MemoryContextSwitchTo(columns->memory);
    TupleDesc shared =
        lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
    columns->desc = CreateTupleDescCopy(shared);
    ReleaseTupleDesc(shared);
    const int count = Max(columns->desc->natts, 1);
    columns->values = (Datum*)palloc(count * sizeof(Datum));
    columns->nulls = (bool*)palloc(count * sizeof(bool));
    find();
    MemoryContextSwitchTo(outer);
    columns->type = number;
  }
  read_row(row, columns->desc, columns->values, columns->nulls);
}

int column_named(const NamedColumns& columns, const char* name) {
  for (int i = 0; i < columns.desc->natts; i++) {
    const Form_pg_attribute attribute = TupleDescAttr(columns.desc, i);
    if (!attribute->attisdropped && strcmp(NameStr(attribute->attname), name) == 0) return i;
  }
  return -1;
}

int required_column(const NamedColumns& columns, const char* name, const char* release) {
  const int column = column_named(columns, name);
  if (column >= 0) return column;
  refuse_argument(psprintf("the row has no column \"%s\"", name),
                  psprintf("Release \"%s\" is of it.", release),
                  "Pass a row that has all columns of the model.");
}

Oid column_type(const NamedColumns& columns, int column) {
  return getBaseType(TupleDescAttr(columns.desc, column)->atttypid);
}

RowNumber number_in(const NamedColumns& columns, int column, const char* name, Oid modelled) {
  const Oid type = column_type(columns, column);
  if (!holds_numbers(type)) {
    refuse_argument(psprintf("column \"%s\" is of another kind than the model's", name),
                    psprintf("It is of type %s, the model's of type %s.", format_type_be(type),
                             format_type_be(modelled)),
                    "Pass a row whose columns are of the modelled columns' types.");
  }
  (void)cast_between(name, modelled, type);  // refuses, and names them as they are
  return {column, type, cast_between(name, type, modelled)};
}

double number_of(const NamedColumns& columns, const RowNumber& number) {
  if (columns.nulls[number.column]) return std::numeric_limits<double>::quiet_NaN();
  return cast_number(number.cast, value_float8(number.type, columns.values[number.column]));
}

}  // namespace dpmix::pg
