#include "pg/query/keys/found_nulls.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/fmgroids.h"
}

#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

Expr* int8_constant(int64 value) {
  return (Expr*)constant(INT8OID, InvalidOid, Int64GetDatum(value));
}

}  // namespace

Expr* with_stand_in(const KeyColumn* key, Expr* found) {
  if (!key->has_null) return found;
  return case_when(is_known(key->missing), found,
                   (Expr*)constant(key->type, key->collation, key->stand_in));
}

Expr* null_bits(const QueryGroups* groups) {
  Expr* bits = NULL;
  for (int k = 0; k < groups->keys; k++) {
    const KeyColumn* key = &groups->key[k];
    if (!key->found || !key->has_null) continue;
    Expr* bit = case_when(is_known(key->missing), int8_constant(0), int8_constant((int64)1 << k));
    bits = bits == NULL ? bit : call_builtin(F_INT8PL, INT8OID, list_make2(bits, bit));
  }
  return bits;
}

bool has_null_bit(Datum bits, int k) {
  return (DatumGetInt64(bits) >> k & 1) != 0;
}

}  // namespace dpmix::pg
