// The public values of a key in order, to find one of them.
#pragma once

#include "pg/query/keys/column.hpp"

namespace dpmix::pg {

// 0: one group. Keys are of deterministic collations, where equality is that of bytes: any order
// agrees on it.
int compare_values(const KeyColumn* key, Datum a, Datum b);

struct SortedValues {
  const KeyColumn* key;
  int* number;  // numbers of its values, in order; equal ones as declared
};
SortedValues sorted_values(const KeyColumn* key);
// A copy of the value without a reference to where a row keeps it.
Datum plain_copy(Oid type, Datum value);

// -1: it is none of them.
int find_value(const SortedValues& values, Datum value);

}  // namespace dpmix::pg
