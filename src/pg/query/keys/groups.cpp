#include "pg/query/keys/groups.hpp"

#include <algorithm>
#include <vector>

#include "core/query/cube_noise.hpp"

extern "C" {
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

#include "pg/border/guard.hpp"
#include "pg/query/keys/combinations.hpp"
#include "pg/query/keys/computed_facts.hpp"
#include "pg/query/keys/coverage.hpp"
#include "pg/query/keys/narrowing.hpp"
#include "pg/query/keys/null_keys.hpp"
#include "pg/query/keys/other_values.hpp"
#include "pg/query/keys/public_rows.hpp"
#include "pg/query/keys/public_values.hpp"
#include "pg/query/keys/refused_keys.hpp"
#include "pg/query/keys/sorted_values.hpp"
#include "pg/query/keys/stand_ins.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

// Two texts of one value ('1' and '01') are one category, or its rows would be answered twice.
void drop_repeated(KeyColumn* key) {
  const int* sorted = sorted_values(key).number;
  bool* repeated = (bool*)palloc0(sizeof(bool) * key->categories);
  for (int i = 1; i < key->categories; i++) {
    const int last = sorted[i - 1], here = sorted[i];
    repeated[here] = compare_values(key, key->value[last], key->value[here]) == 0;
  }
  int kept = 0;
  for (int i = 0; i < key->categories; i++) {
    if (repeated[i]) continue;
    key->value[kept] = key->value[i];
    key->shown[kept++] = key->shown[i];
  }
  key->categories = kept;
}

void make_key(KeyColumn* key, const RowScope* scope, const QueryKey* asked, ValuesAsked values) {
  find_public_values(scope, asked, values, key);
  key->found = values == ValuesAsked::declared && key->categories == 0;
  if (key->none && key->has_null) {
    key->none = false;
    key->categories = 0;
  }
  key->compare = &lookup_type_cache(key->type, TYPECACHE_CMP_PROC_FINFO)->cmp_proc_finfo;
  if (key->categories > 0) drop_repeated(key);
  key->declared = key->categories;
  if (values != ValuesAsked::declared) {
    find_others(scope, key);
    key->leaves_out = !key->shows_others && leaves_out_rows(scope, key);
  }
  key->in_conditions = in_conditions(scope, asked->expression, key->expression);
  narrow_key(scope->facts, key);
  narrow_to_named(scope->facts, key);
  narrow_to_public(scope, key);
}

template <class Number>
const Number* copied(const std::vector<Number>& from) {
  Number* to = (Number*)palloc(sizeof(Number) * (from.size() + 1));
  std::ranges::copy(from, to);
  return to;
}

// The groups of each set that is asked for, one after the other.
void count_sets(QueryGroups* groups, const QuerySets* sets) {
  int* first = (int*)palloc0(sizeof(int) * (sets->count + 1));
  double answered = 0, combinations = 1, places = 0;
  for (int k = 0; k < groups->keys; k++) {
    combinations *= groups->key[k].places();
    if (groups->key[k].places() > 0) continue;
    refuse_argument("a key of the grouping sets has no value",
                    "Its public values are those of a table without rows.", "Leave the key out.");
  }
  for (int i = 0; i < sets->answers; i++) {
    double cells = 1, here = 1;
    for (int k = 0; k < groups->keys; k++) {
      if ((sets->keys[sets->order[i]] >> k & 1) == 0) continue;
      cells *= groups->key[k].places();
      here *= groups->key[k].places() + 1;
    }
    places += here;
    answered += cells;
    if (answered > kMaxGroups) {
      refuse_many_groups("All grouping sets together have more.");
    }
    first[sets->order[i] + 1] = (int)cells;
  }
  for (int i = 0; i < sets->count; i++) first[i + 1] += first[i];
  groups->count = first[sets->count];
  QueryCube* cube = (QueryCube*)palloc(sizeof(QueryCube));
  *cube = {sets, first, NULL, NULL, NULL, NULL, 0, combinations, places};
  groups->cube = cube;
  guard([&] {
    const CubeNoise noise = cube_noise(workload_of(groups));
    postgres([&] {
      cube->stretch = copied(noise.stretch);
      cube->precision = copied(noise.precision);
      cube->variance = copied(noise.variance);
      cube->squares = copied(noise.squares);
    });
    cube->least_stretch = std::ranges::min(noise.stretch);
  });
}

bool no_row_is_left(const RowScope* scope) {
  return contradict(scope->facts) || ask_for_null_in_vain(scope) || leave_no_public_row(scope);
}

void take_combinations(const Combinations& found, QueryGroups* groups) {
  static const int64 kFirst[] = {0};  // where none is left
  groups->none = groups->none || found.count == 0;
  groups->count = Max(found.count, 1);
  groups->product = found.count > 0 ? found.product : kFirst;
  groups->scanned = found.scanned;
}

// Conditions that leave none of a key's public values leave its others.
void give_place_to_others(KeyColumn* key, bool in_totals) {
  key->others = key->shows_others || (in_totals && key->leaves_out);
  if (!key->others || !key->none) return;
  key->none = false;
  key->categories = 0;
}

// NULL: a key has no public values, or they are too many together, and they are not required.
QueryGroups* declared_groups(const RowScope* scope, const QueryShape* shape, ValuesAsked values) {
  QueryGroups* groups = (QueryGroups*)palloc0(sizeof(QueryGroups));
  groups->keys = shape->keys;
  groups->key = (KeyColumn*)palloc0(sizeof(KeyColumn) * (shape->keys + 1));
  double combinations = 1;
  for (int k = 0; k < shape->keys; k++) {
    make_key(&groups->key[k], scope, &shape->key[k], values);
    if (groups->key[k].places() == 0 && values == ValuesAsked::known) return NULL;
    KeyColumn* key = &groups->key[k];
    give_place_to_others(key, shape->sets != NULL);
    groups->none = groups->none || groups->key[k].none;
    combinations *= groups->key[k].places();
  }
  groups->none = groups->none || no_row_is_left(scope);
  if (shape->sets != NULL) {
    count_sets(groups, shape->sets);
    return groups;
  }
  Combinations found;
  if (combinations > 0x1p62 || !find_combinations(scope, {groups->keys, groups->key}, &found)) {
    if (values == ValuesAsked::known) return NULL;
    refuse_many_groups("Every combination of the public values of its keys is returned.");
  }
  take_combinations(found, groups);
  return groups;
}

QueryGroups* discovered_groups(const RowScope* scope, const QueryShape* shape) {
  if (shape->keys == 0) {
    refuse_argument("there are no groups to discover",
                    "keys is \"discover\", and the query has no GROUP BY.",
                    "Leave keys out, or group by what is to be found.");
  }
  if (shape->sets != NULL) {
    refuse_construct("GROUPING SETS, ROLLUP or CUBE of groups that are found is",
                     "Declare the values of the keys (dpmix.set_categories) and leave keys out.");
  }
  refuse_groups_of_one(scope, shape);
  QueryGroups* groups = (QueryGroups*)palloc0(sizeof(QueryGroups));
  groups->keys = shape->keys;
  groups->key = (KeyColumn*)palloc0(sizeof(KeyColumn) * shape->keys);
  groups->count = PG_INT32_MAX;
  groups->discovered = true;
  for (int k = 0; k < shape->keys; k++) {
    make_key(&groups->key[k], scope, &shape->key[k], ValuesAsked::declared);
    groups->none = groups->none || groups->key[k].none;
  }
  groups->tells_nulls = find_stand_ins({groups->keys, groups->key});
  groups->none = groups->none || no_row_is_left(scope);
  return groups;
}

// Where grouping sets or a missing delta leave declared groups alone, they are required.
QueryGroups* automatic_groups(const RowScope* scope, const QueryShape* shape,
                              const GroupsAsked& asked) {
  const bool grouped = shape->keys > 0 && shape->sets == NULL;
  if (grouped) {
    QueryGroups* declared = declared_groups(scope, shape, ValuesAsked::known);
    if (declared != NULL) return declared;
    refuse_groups_of_one(scope, shape);
  }
  if (!grouped || !asked.delta) {
    return declared_groups(scope, shape, ValuesAsked::required);
  }
  QueryGroups* found = discovered_groups(scope, shape);
  found->automatic = true;
  return found;
}

}  // namespace

QueryGroups* groups_of(const RowScope* scope, const QueryShape* shape, const GroupsAsked& asked) {
  switch (asked.keys) {
    case KeysAsked::declared:
      return declared_groups(scope, shape, ValuesAsked::required);
    case KeysAsked::discovered:
      return discovered_groups(scope, shape);
    case KeysAsked::automatic:
      return automatic_groups(scope, shape, asked);
  }
  elog(ERROR, "groups are asked for in no known way");
}

CubeWorkload workload_of(const QueryGroups* groups) {
  std::vector<int> sizes;
  for (int k = 0; k < groups->keys; k++) sizes.push_back(groups->key[k].places());
  const QuerySets* sets = groups->cube->sets;
  return {sizes, {sets->keys, (std::size_t)sets->count}};
}

int group_of(const QueryGroups* groups, const Datum* numbers, const bool* nulls) {
  int64 product = 0;
  for (int k = 0; k < groups->keys; k++) {
    if (nulls[k]) return -1;
    product = product * groups->key[k].places() + DatumGetInt32(numbers[k]);
  }
  if (groups->product == NULL) return (int)product;
  const int64* end = groups->product + groups->count;
  const int64* found = std::lower_bound(groups->product, end, product);
  return found != end && *found == product ? (int)(found - groups->product) : -1;
}

int64 product_of(const QueryGroups* groups, int group) {
  return groups->product == NULL ? group : groups->product[group];
}

int group_in_set(const QueryGroups* groups, int set, const Datum* numbers, const bool* nulls) {
  const KeySet keys = groups->cube->sets->keys[set];
  int group = 0;
  for (int k = 0; k < groups->keys; k++) {
    const KeyColumn& key = groups->key[k];
    if (nulls[k]) return -1;
    if ((keys >> k & 1) == 0) continue;
    group = group * key.places() + DatumGetInt32(numbers[k]);
  }
  return groups->cube->first[set] + group;
}

int set_of(const QueryGroups* groups, int group) {
  if (groups->cube == NULL) return 0;
  const int* first = groups->cube->first;
  const int* end = std::upper_bound(first, first + groups->cube->sets->count + 1, group);
  return (int)(end - first) - 1;
}

KeySet keys_without(const QueryGroups* groups, int group) {
  if (groups->cube == NULL) return 0;
  return ~groups->cube->sets->keys[set_of(groups, group)];
}

namespace {

// The place of a group among those of a key.
int place_of(const QueryGroups* groups, int group, int k) {
  const QueryCube* cube = groups->cube;
  const int set = set_of(groups, group);
  int64 number = cube != NULL ? group - cube->first[set] : product_of(groups, group);
  for (int later = groups->keys - 1; later > k; later--) {
    const bool counts = cube == NULL || (cube->sets->keys[set] >> later & 1) != 0;
    if (counts) number /= groups->key[later].places();
  }
  return (int)(number % groups->key[k].places());
}

}  // namespace

NullableDatum key_of(const QueryGroups* groups, int group, int k) {
  const KeyColumn& key = groups->key[k];
  const int place = place_of(groups, group, k);
  if (place < key.categories) return {key.shown[place], false};
  const bool null = !key.shows_others || place != key.others_place();
  return {null ? (Datum)0 : key.shown_others, null};
}

bool is_shown(const QueryGroups* groups, int group) {
  const KeySet without = keys_without(groups, group);
  for (int k = 0; k < groups->keys; k++) {
    const KeyColumn& key = groups->key[k];
    if (!key.others || key.shows_others || (without >> k & 1) != 0) continue;
    if (place_of(groups, group, k) == key.others_place()) return false;
  }
  return true;
}

}  // namespace dpmix::pg
