// The unique indexes of a table that hold for every row that the active snapshot shows.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
#include "access/htup.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"
}

namespace dpmix::pg {

struct UniqueKey {
  bool primary;
  int columns;
  AttrNumber column[INDEX_MAX_KEYS];
  Oid family[INDEX_MAX_KEYS];  // of btree operators: whose equality is meant
};

// A List of UniqueKey*; empty for a partitioned table and one with inheritance children, whose rows
// no index covers. With the relation locked. An index made after the snapshot was taken, or by this
// very transaction, is none: an old snapshot may show rows that were gone when it was built. Nor
// has a table any that this transaction may have written: its own rows show beside those that they
// took the place of.
List* unique_keys(Oid relation);

// Those of the indexes that there are now, whatever a snapshot shows: what may be declared.
List* declared_unique_keys(Oid relation);

// Whether this transaction may have written rows of the table: a writer keeps its lock.
bool is_written_here(Relation table);

// Whether another transaction made a row of pg_index before the active snapshot was taken.
bool is_older_than_snapshot(HeapTuple tuple);

}  // namespace dpmix::pg
