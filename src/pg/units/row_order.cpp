// A place for each row among those of its unit, by its bytes: dpmix_internal.row_order
// (src/sql/14_shards.sql).
#include "pg/border/postgres.hpp"

extern "C" {
#include "access/htup_details.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "utils/datum.h"
#include "utils/typcache.h"
PG_FUNCTION_INFO_V1(dpmix_row_order);
}

namespace dpmix::pg {
namespace {

// Of values with the same bytes, whatever form they are stored in, it is the same.
uint64 hash_of_row(TupleDesc columns, const Datum* values, const bool* nulls) {
  uint64 hash = 0;
  for (int i = 0; i < columns->natts; i++) {
    const Form_pg_attribute column = TupleDescAttr(columns, i);
    const uint32 value =
        nulls[i] ? 0 : datum_image_hash(values[i], column->attbyval, column->attlen);
    hash = DatumGetUInt64(hash_uint32_extended(value, hash));
  }
  return hash;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_row_order(PG_FUNCTION_ARGS) {  // strict
  HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(0);
  TupleDesc columns =
      lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
  HeapTupleData tuple = {};
  tuple.t_len = HeapTupleHeaderGetDatumLength(row);
  ItemPointerSetInvalid(&tuple.t_self);
  tuple.t_data = row;
  Datum* values = (Datum*)palloc(sizeof(Datum) * (Size)Max(columns->natts, 1));
  bool* nulls = (bool*)palloc(sizeof(bool) * (Size)Max(columns->natts, 1));
  heap_deform_tuple(&tuple, columns, values, nulls);
  const uint64 hash = hash_of_row(columns, values, nulls);
  ReleaseTupleDesc(columns);
  PG_RETURN_INT64((int64)hash);
}
}
