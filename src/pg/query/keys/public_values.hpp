// The public values that a group key can take, told from declarations and from the text of the
// query alone: no row of a protected table is read.
//
//   a column             its declared categories; of a public table, what its rows say
//   a condition          false, true
//   CASE of constants    those constants
//   an expression        its distinct results over all combinations of what its columns can be:
//                        categories, whole numbers or days between bounds, false and true, NULL
//   a whole number       each one between the bounds that declared bounds let the expression have
//   a bucket             buckets.hpp
// NULL, where it can be, is one group more (null_keys.hpp).
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

enum class ValuesAsked {
  declared,  // those of a column, buckets in time: what groups that are found may have
  known,     // however they follow
  required   // PV003 where there are none
};

// Fills in the key's safe expression, its type, and its public values, equal ones perhaps several
// times; no values (categories = 0) where there are none. PV002: an expression that is not on the
// list. PV005: more than kMaxGroups values, or an expression of constants and declared values that
// raises.
void find_public_values(const RowScope* scope, const QueryKey* asked, ValuesAsked values,
                        KeyColumn* key);

// A value of the scan as the caller sees it, in the current memory context: one form for all equal
// ones, so that nothing of a row shows but its group. False where it is no value of the key's type.
bool shown_key(const KeyColumn* key, Datum value, Datum* shown);

}  // namespace dpmix::pg
