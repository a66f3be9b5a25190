// A query over so many rows of each privacy unit, chosen by the unit's own rows alone.
//
// Guaranteed: at most so many rows of a unit, whatever the plan; which ones is a function of the
// rows of that unit, as a multiset (docs/proofs/query_shards.md, "Picked rows").
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

struct PickedRows {
  Var* unit;  // NULL: all rows count
  int most;
};

// query: aggregates over a table, perhaps with keys. What it reads of a row decides on its place:
// first by a hash of these bytes and the unit's, then by the bytes. Rows of no group are not
// picked.
void pick_rows(Query* query, const PickedRows& picked);

// Puts the rows of this window in that order, by the bytes of these targets of its query (numbers).
void order_by_bytes(Query* query, Index window, int first, int last);
// number <= most
Expr* is_among(Expr* number, int most);

}  // namespace dpmix::pg
