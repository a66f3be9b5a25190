// Facts about keys as such: floor(age / 5) * 5 < 50 of the key floor(age / 5) * 5.
//
// In a fact the key's expression is replaced by a place for its value. Where no column is left, the
// fact is one about values of keys.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// A key as conditions have it; NULL where it is none of their parts. expression: the safe one, as
// it is put into groups.
Expr* in_conditions(const RowScope* scope, const Expr* asked, Expr* expression);

// The place of a key, by its number.
Var* place_of_key(const KeyColumn* key, int number);
// A value of the key as it is in its place.
Datum value_in_place(const KeyColumn* key, Datum value);
// Facts that have places in place of keys.
List* facts_over_keys(const List* facts, int keys, const KeyColumn* key);
// Leaves out combinations (by their numbers among all, NULL: all) for which a fact about several
// keys is not true. How many are left.
int leave_out(const RowScope* scope, const KeyColumns& of, int count, const int64** combination);

}  // namespace dpmix::pg
