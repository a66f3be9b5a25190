// The groups of a private query: every combination of the declared categories of its key columns.
//
// Which groups come back is public: it never depends on the rows. Each row belongs to at most one
// group (categories equal in the column's type count once), which parallel composition rests on;
// a row with a NULL or undeclared key belongs to none. Groups are numbered in the order of the
// declarations, the first key slowest.
#pragma once

#include "pg/query_shape.hpp"

namespace dpmix::pg {

struct KeyColumn {
  Expr* expression;  // safe
  Oid type;
  int32 typmod;
  Oid collation;
  int categories;  // distinct ones
  Datum* value;    // in the order of their declaration
  int* by_value;   // indices into value, sorted
  FmgrInfo* compare;
};

struct DeclaredGroups {
  int keys;
  KeyColumn* key;
  int count;  // 1 without GROUP BY
};
constexpr int kMaxGroups = 100000;

// PV003: a key without declared categories. PV005: more than kMaxGroups groups.
DeclaredGroups* declared_groups(const RowScope* scope, const QueryShape* shape);

// The group of a row, from the number of the category (category_number) of each key; -1: none.
int group_of(const DeclaredGroups* groups, const Datum* numbers, const bool* nulls);

// The category of key k in a group.
Datum key_of(const DeclaredGroups* groups, int group, int k);

}  // namespace dpmix::pg
