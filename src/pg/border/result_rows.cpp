#include "pg/border/result_rows.hpp"

extern "C" {
#include "access/htup_details.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostColumns = 32;

struct Columns {
  Datum value[kMostColumns];
  bool null[kMostColumns];
};

void lay_out(std::initializer_list<Value> columns, int count, Columns* out) {
  if ((int)columns.size() != count || count > kMostColumns) {
    elog(ERROR, "a row has %d columns, not %d", count, (int)columns.size());
  }
  int i = 0;
  for (const Value& column : columns) {
    out->value[i] = column.datum;
    out->null[i++] = column.null;
  }
}

}  // namespace

ResultRows begin_rows(FunctionCallInfo fcinfo, bool as_expected) {
  InitMaterializedSRF(fcinfo, as_expected ? MAT_SRF_USE_EXPECTED_DESC : 0);
  const ReturnSetInfo* result = (const ReturnSetInfo*)fcinfo->resultinfo;
  return {result->setResult, result->setDesc};
}

void add_row(const ResultRows& rows, std::initializer_list<Value> columns) {
  Columns row;
  lay_out(columns, rows.type->natts, &row);
  tuplestore_putvalues(rows.store, rows.type, row.value, row.null);
}

Datum row_datum(FunctionCallInfo fcinfo, std::initializer_list<Value> columns) {
  TupleDesc type;
  if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "a row type is expected");
  }
  Columns row;
  lay_out(columns, type->natts, &row);
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(type), row.value, row.null));
}

}  // namespace dpmix::pg
