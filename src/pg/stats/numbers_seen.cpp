#include "pg/stats/numbers_seen.hpp"

#include "pg/border/guard.hpp"
#include "pg/stats/states.hpp"

extern "C" {
#include "port/pg_bitutils.h"
PG_FUNCTION_INFO_V1(dpmix_numbers_seen_add);
PG_FUNCTION_INFO_V1(dpmix_numbers_seen_combine);
}

namespace dpmix::pg {
namespace {

// The first argument, to be changed. Anything that is a bytea is a set of numbers: the bits set.
bytea* own_set(FunctionCallInfo fcinfo) {
  return own_state<bytea>(fcinfo, [](bytea*) {});
}

bytea* new_set(Size numbers) {
  const Size bytes = VARHDRSZ + (numbers + 7) / 8;
  auto* set = static_cast<bytea*>(palloc0(bytes));
  SET_VARSIZE(set, bytes);
  return set;
}

Size bytes_of(const bytea* set) {
  return VARSIZE(set) - VARHDRSZ;
}

}  // namespace

int64 read_numbers_seen(Datum set) {
  const bytea* bits = DatumGetByteaPP(set);
  return static_cast<int64>(
      pg_popcount(VARDATA_ANY(bits), static_cast<int>(VARSIZE_ANY_EXHDR(bits))));
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_numbers_seen_add(PG_FUNCTION_ARGS) {  // strict
  const int32 number = PG_GETARG_INT32(1), size = PG_GETARG_INT32(2);
  if (unlikely(size < 1 || size > kMostNumbersSeen)) {
    refuse_argument("invalid size", psprintf("size is %d.", size),
                    psprintf("Use a size from 1 to %d.", kMostNumbersSeen));
  }
  bytea* set = own_set(fcinfo);
  const auto byte = static_cast<Size>(number) / 8;
  if (unlikely(number < 0 || number >= size)) PG_RETURN_BYTEA_P(set);
  if (unlikely(byte >= bytes_of(set))) {  // the first number; or sets of different sizes, united
    bytea* wider = new_set(static_cast<Size>(size));
    memcpy(VARDATA(wider), VARDATA(set), bytes_of(set));
    set = wider;
  }
  VARDATA(set)[byte] = static_cast<char>(VARDATA(set)[byte] | 1 << number % 8);
  PG_RETURN_BYTEA_P(set);
}

Datum dpmix_numbers_seen_combine(PG_FUNCTION_ARGS) {  // strict; the initial state is not NULL
  bytea* set = own_set(fcinfo);
  const bytea* other = PG_GETARG_BYTEA_PP(1);
  const auto size = static_cast<Size>(VARSIZE_ANY_EXHDR(other));
  if (size > bytes_of(set)) {
    bytea* wider = new_set(size * 8);
    memcpy(VARDATA(wider), VARDATA(set), bytes_of(set));
    set = wider;
  }
  for (Size i = 0; i < size; ++i) {
    VARDATA(set)[i] = static_cast<char>(VARDATA(set)[i] | VARDATA_ANY(other)[i]);
  }
  PG_RETURN_BYTEA_P(set);
}
}
