// Whose row it is, where the row names another one instead: a table whose units are found through a
// key of another table, the target (docs/proofs/populations.md, Links).
#pragma once

#include "pg/catalog/protected_table.hpp"
#include "pg/catalog/table_row.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace dpmix::pg {

struct UnitLink {
  Oid target;
  int columns;
  AttrNumber column[INDEX_MAX_KEYS];         // of the table
  AttrNumber target_column[INDEX_MAX_KEYS];  // of the target, in the same order
};

// NULL: the unit is a column, or the row.
inline const UnitLink* unit_link(const ProtectedTable* table) {
  return table->link;
}

// Whether a column is by itself the key by which rows of other tables name those of this one.
bool is_key_of_link(Oid relation, AttrNumber column);

// The keys by which rows of other tables name those of this one: List of UnitLink*, without columns
// of these tables.
List* keys_of_links(Oid relation);

// Why nobody knows any more whose the rows of a table are: the target, or one of the columns, is
// not there. NULL: they are. With the target locked and watched, where there is one.
const char* vacant_link(Oid relation, const LinkTerms* terms);

// The table's link as declared, its target locked and watched; NULL: the table has none. PV004
// where the link is vacant. PV005: a column's type is another one.
UnitLink* find_unit_link(Oid relation, const CatalogRow* row);

// PV002 unless a unique index of the target shows, in the active snapshot, that what a row names is
// one row at most. With both tables locked; before each charge, for indexes come and go.
void require_link(const ProtectedTable* table);

// Whether one of these (List of UniqueKey*) is on the columns that the link names, by the equality
// that it is found with.
bool has_key_of(const UnitLink& link, const List* keys);
// Why two columns cannot be compared; NULL: they are told apart like units, of one type or both
// whole numbers, so that one family of operators has their equality. Relation and column of it say
// which is meant.
const char* link_defect(Oid relation, AttrNumber column, Oid target, AttrNumber target_column);
// (a, b), quoted: for messages.
const char* column_list(Oid relation, const AttrNumber* column, int count);

}  // namespace dpmix::pg
