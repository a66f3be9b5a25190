// Which column puts a table's rows into blocks, each with a budget of its own
// (docs/proofs/blocks.md).
#pragma once

#include "core/input/block_grid.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {

struct BlockColumn {
  AttrNumber column;
  Oid type;  // date, timestamp, timestamptz, a whole number's, or of categories
  BlockGrid grid;
  bool listed;     // each category is a block: its place in the list
  int categories;  // so many
};

inline bool has_blocks(const BlockColumn& blocks) {
  return AttributeNumberIsValid(blocks.column);
}
// The block column as declared; the relation must be locked. PV004: its guard, or the column, is
// not there any more.
BlockColumn find_block_column(int64 table_id, Oid relation);

// The list, in its order, as texts. In the caller's memory; not inside as_catalog_owner().
char** block_categories(int64 table_id, int* count);

// Whether values of a type are in blocks by their order, or each in one of its own.
bool may_be_blocks(Oid type);
bool may_be_listed_blocks(Oid type);
// A value as a whole number: days or microseconds since 2000-01-01 (UTC), or itself. False for what
// is in no block: infinities, and what lies before the first one.
bool place_in_blocks(const BlockColumn* blocks, Datum value, int64* place);
// The other way, for what is within the type's values.
Datum value_at_place(Oid type, int64 place);
// A value given as such a number, as text: ISO 8601, in UTC, whatever the session's settings are;
// NULL: no value.
const char* place_text(Oid type, int64 place);
// The least and the largest finite value of a type, as such numbers.
int64 least_place(Oid type);
int64 largest_place(Oid type);
// Date, timestamp or timestamptz: the clock says where blocks end.
bool follows_clock(Oid type);
// How many values a day has; 1 where the type is no time.
int64 places_of_day(Oid type);
// The place of a moment; the largest place where the type is no time.
int64 place_of_time(Oid type, TimestampTz time);

}  // namespace dpmix::pg
