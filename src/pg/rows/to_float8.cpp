#include "pg/rows/to_float8.hpp"

#include <limits>

extern "C" {
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "utils/array.h"  // VARSIZE
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dpmix_to_float8);
PG_FUNCTION_INFO_V1(dpmix_bool_to_float8);
PG_FUNCTION_INFO_V1(dpmix_date_to_float8);
PG_FUNCTION_INFO_V1(dpmix_timestamp_to_float8);
}

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A numeric as it is stored, which has not changed since 9.1: a header of two bytes (four for large
// weights and scales), then digits to the base 10000, the first of which counts 10000^weight.
constexpr uint16 kKind = 0xC000, kShort = 0x8000, kSpecial = 0xC000, kNegative = 0x4000;
constexpr uint16 kShortNegative = 0x2000, kShortWeightSign = 0x0040, kShortWeight = 0x003F;

constexpr double kPowers[] = {1, 1e4, 1e8, 1e12, 1e16, 1e20};  // powers of 10000, exact
constexpr int64 kMostExact = int64{1} << 53;

// The nearest double where a single rounding gives it: up to 2^53 units of a power of ten up to
// 10^20. Most numbers of a table are such, and the way through text takes ten times as long.
bool nearest_at_once(const char* stored, Size size, double* result) {
  int16 word[6];
  if (size < sizeof(int16) || size > sizeof word) return false;
  memcpy(word, stored, size);  // stored need not be aligned
  const auto header = static_cast<uint16>(word[0]);
  if ((header & kKind) == kSpecial) return false;
  const bool brief = (header & kKind) == kShort;
  if (!brief && size < 2 * sizeof(int16)) return false;
  const bool negative = brief ? (header & kShortNegative) != 0 : (header & kKind) == kNegative;
  const int first = brief ? 1 : 2, end = static_cast<int>(size / sizeof(int16));
  const int weight = !brief                      ? word[1]
                     : header & kShortWeightSign ? (header & kShortWeight) - (kShortWeight + 1)
                                                 : header & kShortWeight;
  int64 units = 0;
  for (int i = first; i < end; ++i) units = units * 10000 + word[i];
  const int power = weight - (end - first) + 1, most = static_cast<int>(lengthof(kPowers)) - 1;
  if (end - first > 4 || units > kMostExact || power > most || power < -most) return false;
  const auto whole = static_cast<double>(units);
  const double value = power >= 0 ? whole * kPowers[power] : whole / kPowers[-power];
  *result = negative ? -value : value;
  return true;
}
}  // namespace

double dpmix::pg::date_float8(DateADT date) {
  if (DATE_IS_NOBEGIN(date)) return -kInfinity;
  if (DATE_IS_NOEND(date)) return kInfinity;
  return static_cast<double>(date);
}

extern "C" {

// numeric -> float8 as the cast does it, but total: beyond the range is infinity, not an error that
// would tell an analyst about a value.
Datum dpmix_to_float8(PG_FUNCTION_ARGS) {
  struct varlena* stored = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0));
  double value;
  if (!nearest_at_once(VARDATA_ANY(stored), VARSIZE_ANY_EXHDR(stored), &value)) {
    value =
        DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, PointerGetDatum(stored)));
  }
  PG_FREE_IF_COPY(stored, 0);  // a row may hold 64 kB, and a query many calls
  PG_RETURN_FLOAT8(value);
}

Datum dpmix_bool_to_float8(PG_FUNCTION_ARGS) {
  PG_RETURN_FLOAT8(PG_GETARG_BOOL(0) ? 1.0 : 0.0);
}

Datum dpmix_date_to_float8(PG_FUNCTION_ARGS) {
  PG_RETURN_FLOAT8(dpmix::pg::date_float8(PG_GETARG_DATEADT(0)));
}

Datum dpmix_timestamp_to_float8(PG_FUNCTION_ARGS) {  // seconds since 2000-01-01
  const Timestamp timestamp = PG_GETARG_TIMESTAMP(0);
  if (TIMESTAMP_IS_NOBEGIN(timestamp)) PG_RETURN_FLOAT8(-kInfinity);
  if (TIMESTAMP_IS_NOEND(timestamp)) PG_RETURN_FLOAT8(kInfinity);
  PG_RETURN_FLOAT8(static_cast<double>(timestamp) / static_cast<double>(USECS_PER_SEC));
}

}  // extern "C"

double dpmix::pg::value_float8(Oid type, Datum value) {
  switch (type) {
    case INT2OID:
      return DatumGetInt16(value);
    case INT4OID:
      return DatumGetInt32(value);
    case INT8OID:
      return static_cast<double>(DatumGetInt64(value));
    case FLOAT4OID:
      return DatumGetFloat4(value);
    case FLOAT8OID:
      return DatumGetFloat8(value);
    case BOOLOID:
      return DatumGetBool(value) ? 1 : 0;
    case DATEOID:
      return date_float8(DatumGetDateADT(value));
    case NUMERICOID:
      return DatumGetFloat8(DirectFunctionCall1(dpmix_to_float8, value));
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return DatumGetFloat8(DirectFunctionCall1(dpmix_timestamp_to_float8, value));
    default:
      elog(ERROR, "type %u holds no numbers", type);
  }
}
