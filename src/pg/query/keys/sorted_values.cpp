#include "pg/query/keys/sorted_values.hpp"

extern "C" {
#include "catalog/pg_collation.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

int compare_numbers(const void* a, const void* b, void* arg) {
  const KeyColumn* key = (const KeyColumn*)arg;
  const int i = *(const int*)a, j = *(const int*)b;
  const int order = compare_values(key, key->value[i], key->value[j]);
  return order != 0 ? order : i - j;
}

}  // namespace

int compare_values(const KeyColumn* key, Datum a, Datum b) {
  const Oid collation = OidIsValid(key->collation) ? C_COLLATION_OID : InvalidOid;
  return DatumGetInt32(FunctionCall2Coll(key->compare, collation, a, b));
}

SortedValues sorted_values(const KeyColumn* key) {
  SortedValues sorted = {key, (int*)palloc(sizeof(int) * Max(key->categories, 1))};
  for (int i = 0; i < key->categories; i++) sorted.number[i] = i;
  qsort_arg(sorted.number, key->categories, sizeof(int), compare_numbers, (void*)key);
  return sorted;
}

Datum plain_copy(Oid type, Datum value) {
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  return length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(value))
                      : datumCopy(value, by_value, length);
}

int find_value(const SortedValues& values, Datum value) {
  const KeyColumn* key = values.key;
  int low = 0, high = key->categories;
  while (low < high) {
    const int middle = (low + high) / 2;
    const bool below = compare_values(key, key->value[values.number[middle]], value) < 0;
    (below ? low : high) = below ? middle + 1 : middle;
  }
  if (low == key->categories || compare_values(key, key->value[values.number[low]], value) != 0) {
    return -1;
  }
  return values.number[low];
}

}  // namespace dpmix::pg
