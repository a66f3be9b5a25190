// Group keys computed of buckets of one column in time: to_char(seen, 'YYYY-MM'),
// extract(year FROM seen) * 100 + extract(month FROM seen), CASE over hours.
//
// Such a key is constant over runs as its buckets are (samples.hpp), where all of them cut the same
// times, so it has no other values than in steps through the ranges of its column.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// The values, perhaps several times; then the key's expression is NULL beyond the ranges. 0: the
// key is none of this kind, or the ranges take too many steps.
int find_calendar_values(const RowScope* scope, KeyColumn* key, Datum** value);

// The facts about a column in time alone that places in steps can be asked: of a date all of them,
// of a timestamp those that are made of buckets of it. step: in which keys are met, and then these
// facts, too; 0: not known.
List* facts_at_places(const List* facts, const Var* column, int64* step);

}  // namespace dpmix::pg
