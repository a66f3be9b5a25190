// NULL among groups that are found.
//
// In the scan a key that is NULL has a value that stands for it, so that no hash and no function of
// dpmix meets a NULL, and one more column, behind the keys, has a bit for each key: whether it is
// NULL. So NULL and that value are two groups.
#pragma once

#include "pg/query/keys/groups.hpp"

namespace dpmix::pg {

// A key as it is found, with what stands for NULL.
Expr* with_stand_in(const KeyColumn* key, Expr* found);
// The column of bits; only where groups->tells_nulls.
Expr* null_bits(const QueryGroups* groups);
bool has_null_bit(Datum bits, int k);

// Columns of the scan by which its rows are grouped.
inline int key_columns(const QueryGroups* groups) {
  return groups->keys + groups->tells_nulls;
}

}  // namespace dpmix::pg
