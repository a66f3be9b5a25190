#include "pg/border/row_type.hpp"

#include "pg/border/guard.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

void get_column(StringInfo in, TupleDesc type, AttrNumber number) {
  const int length_of_name = (int)pq_getmsgint(in, 2);
  const char* name = pnstrdup(pq_getmsgbytes(in, length_of_name), (Size)length_of_name);
  const Oid of = pq_getmsgint(in, 4);
  const int32 modifier = (int32)pq_getmsgint(in, 4);
  const Oid collation = pq_getmsgint(in, 4);
  const bool dropped = !OidIsValid(of);
  if (!dropped && get_typtype(of) == '\0') {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                    errmsg("the type of column \"%s\" is not there any more", name)));
  }
  TupleDescInitEntry(type, number, name, dropped ? INT4OID : of, modifier, 0);
  TupleDescInitEntryCollation(type, number, collation);
  Form_pg_attribute column = TupleDescAttr(type, number - 1);
  const int16 length = (int16)pq_getmsgint(in, 2);
  const bool by_value = pq_getmsgbyte(in) != 0;
  const char alignment = (char)pq_getmsgbyte(in);
  if (dropped) {
    column->atttypid = InvalidOid;
    column->attisdropped = true;
    column->attlen = length;
    column->attbyval = by_value;
    column->attalign = alignment;
  } else if (column->attlen != length || column->attbyval != by_value ||
             column->attalign != alignment) {
    elog(ERROR, "column \"%s\" is laid out otherwise than its type", name);
  }
}

// How many of so many bytes a value takes that lies there; 0: it does not end within them, or is
// elsewhere.
Size size_of_value(const FormData_pg_attribute* column, const char* value, Size room) {
  if (column->attlen >= 0) return (Size)column->attlen;
  if (column->attlen == -2) {
    const Size length = strnlen(value, room);
    return length < room ? length + 1 : 0;
  }
  if (VARATT_IS_1B_E(value)) return 0;
  if (VARATT_IS_1B(value)) return VARSIZE_1B(value);
  const Size head = VARATT_IS_4B_C(value) ? VARHDRSZ_COMPRESSED : VARHDRSZ;
  if (room < head || VARSIZE_4B(value) < head) return 0;
  return VARSIZE_4B(value);
}

}  // namespace

void put_row_type(StringInfo out, TupleDesc type) {
  pq_sendint32(out, type == NULL ? 0 : (uint32)type->natts);
  for (int i = 0; type != NULL && i < type->natts; i++) {
    const FormData_pg_attribute* column = TupleDescAttr(type, i);
    const char* name = NameStr(column->attname);
    pq_sendint16(out, (uint16)strlen(name));
    appendBinaryStringInfo(out, name, (int)strlen(name));
    pq_sendint32(out, column->atttypid);
    pq_sendint32(out, (uint32)column->atttypmod);
    pq_sendint32(out, column->attcollation);
    pq_sendint16(out, (uint16)column->attlen);
    pq_sendbyte(out, column->attbyval);
    pq_sendbyte(out, (uint8)column->attalign);
  }
}

TupleDesc get_row_type(StringInfo in) {
  const uint32 count = pq_getmsgint(in, 4);
  if (count == 0) return NULL;
  if (count > MaxTupleAttributeNumber) elog(ERROR, "a row type of %u columns", count);
  TupleDesc type = CreateTemplateTupleDesc((int)count);
  for (uint32 i = 0; i < count; i++) get_column(in, type, (AttrNumber)(i + 1));
  return type;
}

bool is_row_type(const StringInfoData* message, TupleDesc type) {
  StringInfoData own;
  initStringInfo(&own);
  put_row_type(&own, type);
  return own.len == message->len && memcmp(own.data, message->data, (Size)own.len) == 0;
}

bool same_row_type(TupleDesc a, TupleDesc b) {
  StringInfoData message;
  initStringInfo(&message);
  put_row_type(&message, a);
  return is_row_type(&message, b);
}

bool row_fits(const HeapTupleHeaderData* row, Size size, TupleDesc type) {
  if (size < SizeofHeapTupleHeader) return false;
  const int columns = HeapTupleHeaderGetNatts(row);
  const bool nulls = (row->t_infomask & HEAP_HASNULL) != 0;
  const Size begin = row->t_hoff, head = SizeofHeapTupleHeader + (nulls ? BITMAPLEN(columns) : 0);
  if (columns > type->natts || begin < head || begin > size || begin != MAXALIGN(begin)) {
    return false;
  }
  const char* values = (const char*)row + begin;
  const Size all = size - begin;
  Size at = 0;
  for (int i = 0; i < columns; i++) {
    if (nulls && att_isnull(i, row->t_bits)) continue;
    const FormData_pg_attribute* column = TupleDescAttr(type, i);
    if (column->attlen < 0 && at >= all) return false;  // its first byte says how it is aligned
    at = (Size)att_align_pointer(at, column->attalign, column->attlen, values + at);
    if (at > all || (at == all && column->attlen != 0)) return false;
    const Size taken = size_of_value(column, values + at, all - at);
    if (taken > all - at || (taken == 0 && column->attlen != 0)) return false;
    at += taken;
  }
  return true;
}

bool row_fits(const MinimalTupleData* row, Size size, TupleDesc type) {
  if (size < SizeofMinimalTupleHeader || row->t_len != size) return false;
  const auto* whole = (const HeapTupleHeaderData*)((const char*)row - MINIMAL_TUPLE_OFFSET);
  if (!row_fits(whole, size + MINIMAL_TUPLE_OFFSET, type)) return false;
  return HeapTupleHeaderGetNatts(whole) == type->natts;
}

uint64 row_type_number(const HeapTupleHeaderData* row) {
  return assign_record_type_identifier(HeapTupleHeaderGetTypeId(row),
                                       HeapTupleHeaderGetTypMod(row));
}

void read_row(HeapTupleHeader row, TupleDesc type, Datum* values, bool* nulls) {
  HeapTupleData tuple = {};
  tuple.t_len = HeapTupleHeaderGetDatumLength(row);
  tuple.t_data = row;
  if (!row_fits(row, tuple.t_len, type)) {
    refuse_argument("the row is not of its type as that is now",
                    "The type was altered after the row was made.", "Make the row again.");
  }
  heap_deform_tuple(&tuple, type, values, nulls);
}

}  // namespace dpmix::pg
