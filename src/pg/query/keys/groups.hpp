// The groups of a private query. Declared ones: every combination of the public values of its keys
// (public_values.hpp); which of them come back never depends on the rows. Discovered ones: those
// that rows are found in, as far as their number of units lets them come back
// (group_discovery.hpp).
//
// Each row belongs to at most one group (values equal in the key's type count once), which parallel
// composition rests on; a row with a NULL key, or one that is not among the public values, belongs
// to none. Declared groups are numbered in the order of the declarations, the first key slowest.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

struct QueryGroups {
  int keys;
  KeyColumn* key;
  int count;  // 1 without GROUP BY; more than there can be where they are discovered
  bool discovered;
};
// PV003: a key whose values are not public. PV005: more than kMaxGroups groups.
QueryGroups* declared_groups(const RowScope* scope, const QueryShape* shape);
// PV005: the query has no GROUP BY.
QueryGroups* discovered_groups(const RowScope* scope, const QueryShape* shape);

// The group of a row, from the number of the category (category_number) of each key; -1: none.
int group_of(const QueryGroups* groups, const Datum* numbers, const bool* nulls);

// The value of key k in a group, as the caller sees it.
Datum key_of(const QueryGroups* groups, int group, int k);

// Columns of the rows in which groups that are found are sorted: for each key what it is sorted by
// and the number of its category, then the cells, then a random number.
constexpr int found_width(const QueryGroups* groups) {
  return 2 * groups->keys + 2;
}

}  // namespace dpmix::pg
