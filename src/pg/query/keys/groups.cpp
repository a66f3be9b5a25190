#include "pg/query/keys/groups.hpp"

extern "C" {
#include "catalog/pg_collation.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

#include "pg/border/guard.hpp"
#include "pg/query/keys/public_values.hpp"
#include "pg/query/read/group_limit.hpp"

namespace dpmix::pg {
namespace {

// Equal ones are one group.
int compare_keys(const KeyColumn* key, Datum a, Datum b) {
  // Keys are of deterministic collations, where equality is that of bytes: any order agrees on it.
  const Oid collation = OidIsValid(key->collation) ? C_COLLATION_OID : InvalidOid;
  return DatumGetInt32(FunctionCall2Coll(key->compare, collation, a, b));
}

int compare_indices(const void* a, const void* b, void* arg) {
  const KeyColumn* key = (const KeyColumn*)arg;
  const int i = *(const int*)a, j = *(const int*)b;
  const int order = compare_keys(key, key->value[i], key->value[j]);
  return order != 0 ? order : i - j;
}

// Two texts of one value ('1' and '01') are one category, or its rows would be answered twice.
void drop_repeated(KeyColumn* key) {
  int* sorted = (int*)palloc(sizeof(int) * key->categories);
  for (int i = 0; i < key->categories; i++) sorted[i] = i;
  qsort_arg(sorted, key->categories, sizeof(int), compare_indices, key);
  bool* repeated = (bool*)palloc0(sizeof(bool) * key->categories);
  for (int i = 1; i < key->categories; i++) {
    const int last = sorted[i - 1], here = sorted[i];
    repeated[here] = compare_keys(key, key->value[last], key->value[here]) == 0;
  }
  int kept = 0;
  for (int i = 0; i < key->categories; i++) {
    if (repeated[i]) continue;
    key->value[kept] = key->value[i];
    key->shown[kept++] = key->shown[i];
  }
  key->categories = kept;
}

void make_key(KeyColumn* key, const RowScope* scope, const QueryKey* asked, bool required) {
  find_public_values(scope, asked, required, key);
  key->compare = &lookup_type_cache(key->type, TYPECACHE_CMP_PROC_FINFO)->cmp_proc_finfo;
  if (key->categories > 0) drop_repeated(key);
}

}  // namespace

QueryGroups* declared_groups(const RowScope* scope, const QueryShape* shape) {
  QueryGroups* groups = (QueryGroups*)palloc0(sizeof(QueryGroups));
  groups->keys = shape->keys;
  groups->key = (KeyColumn*)palloc0(sizeof(KeyColumn) * (shape->keys + 1));
  int64 count = 1;
  for (int k = 0; k < shape->keys; k++) {
    make_key(&groups->key[k], scope, &shape->key[k], true);
    count *= groups->key[k].categories;
    if (count > kMaxGroups) {
      refuse_many_groups("Every combination of the public values of its keys is returned.");
    }
  }
  groups->count = (int)count;
  return groups;
}

QueryGroups* discovered_groups(const RowScope* scope, const QueryShape* shape) {
  if (shape->keys == 0) {
    refuse_argument("there are no groups to discover",
                    "keys is \"discover\", and the query has no GROUP BY.",
                    "Leave keys out, or group by what is to be found.");
  }
  QueryGroups* groups = (QueryGroups*)palloc0(sizeof(QueryGroups));
  groups->keys = shape->keys;
  groups->key = (KeyColumn*)palloc0(sizeof(KeyColumn) * shape->keys);
  groups->count = PG_INT32_MAX;
  groups->discovered = true;
  for (int k = 0; k < shape->keys; k++) {
    make_key(&groups->key[k], scope, &shape->key[k], false);
  }
  return groups;
}

int group_of(const QueryGroups* groups, const Datum* numbers, const bool* nulls) {
  int group = 0;
  for (int k = 0; k < groups->keys; k++) {
    if (nulls[k]) return -1;
    group = group * groups->key[k].categories + DatumGetInt32(numbers[k]);
  }
  return group;
}

Datum key_of(const QueryGroups* groups, int group, int k) {
  for (int later = groups->keys - 1; later > k; later--) group /= groups->key[later].categories;
  return groups->key[k].shown[group % groups->key[k].categories];
}

}  // namespace dpmix::pg
