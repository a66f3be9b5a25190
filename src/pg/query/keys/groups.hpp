// The groups of a private query. Declared ones: every combination of the public values of its keys
// (public_values.hpp); which of them come back never depends on the rows. Discovered ones: those
// that rows are found in, as far as their number of units lets them come back
// (group_discovery.hpp).
//
// In grouping sets, rows without a public value of some key count, too, or totals would not be
// totals: where there may be such rows, they are in groups that are not shown.
//
// Each row belongs to at most one group (values equal in the key's type count once), which parallel
// composition rests on; a row with a key that is not among the public values, or NULL where that
// is none, belongs to none. Declared groups are numbered in the order of the declarations, the
// first key slowest.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// Where keys make several grouping sets: their groups come one set after the other, and all that is
// known of the noise before there is a price.
struct QueryCube {
  const QuerySets* sets;
  const int* first;       // group of each set, and the end
  const double* stretch;  // CubeNoise, of each set
  const double* precision;
  const double* variance;
  const double* squares;
  double least_stretch;
  double combinations;  // combinations of all keys
  double places;        // cells of the tables with their sums, over all sets: what memory they take
};

struct QueryGroups {
  int keys;
  KeyColumn* key;
  int count;  // 1 without GROUP BY; more than there can be where they are discovered
  bool discovered;
  bool automatic;         // discovered, because their values are not public
  bool tells_nulls;       // the scan of discovered ones says which keys are NULL
  bool none;              // conditions leave no row: none is to be read
  const int64* product;   // each group's number among all combinations, in order; NULL: the same
  double scanned;         // groups that a scan may meet, where they are declared: Combinations
  const QueryCube* cube;  // NULL: one set, of all keys
};
// automatic: declared where all keys have public values, else discovered where a delta is given.
enum class KeysAsked { declared, discovered, automatic };

struct GroupsAsked {
  KeysAsked keys = KeysAsked::declared;
  bool delta = false;  // one is given: groups can be discovered
};
// PV002: groups that never come back, or grouping sets of groups that are discovered. PV003: a key
// whose values are not public. PV005: more than kMaxGroups groups; none that could be discovered.
QueryGroups* groups_of(const RowScope* scope, const QueryShape* shape, const GroupsAsked& asked);

// The group of a row, from the number of the category (category_number) of each key; -1: none.
int group_of(const QueryGroups* groups, const Datum* numbers, const bool* nulls);

// The same among the groups of a grouping set; -1: none, or not all keys have a category or a place
// for others.
int group_in_set(const QueryGroups* groups, int set, const Datum* numbers, const bool* nulls);

// The number of a group among all combinations of values.
int64 product_of(const QueryGroups* groups, int group);

// The value of key k in a group, as the caller sees it; without meaning where its set lacks the
// key.
NullableDatum key_of(const QueryGroups* groups, int group, int k);
// Not among the others that some key has no place of its own for.
bool is_shown(const QueryGroups* groups, int group);
// The keys that a group's set lacks.
KeySet keys_without(const QueryGroups* groups, int group);
// The set of a group; 0 without grouping sets.
int set_of(const QueryGroups* groups, int group);

// Where there is none, for people.
inline const char* nothing_possible(const QueryGroups* groups) {
  return groups->keys > 0 && groups->cube == NULL ? "no group is possible" : "no row is possible";
}
inline int sets_of(const QueryGroups* groups) {
  return groups->cube == NULL ? 1 : groups->cube->sets->count;
}
CubeWorkload workload_of(const QueryGroups* groups);  // in guard()

// Columns of the rows in which groups that are found are sorted: for each key what it is sorted by
// and the number of its category, then the cells, then a random number.
constexpr int found_width(const QueryGroups* groups) {
  return 2 * groups->keys + 2;
}

}  // namespace dpmix::pg
