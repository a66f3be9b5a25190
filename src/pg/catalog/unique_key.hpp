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

// A List of UniqueKey*; empty for a table with inheritance children, whose rows no index covers.
// The relation must be locked. An index made after the snapshot was taken, or by this very
// transaction, is none: an old snapshot may show rows that were gone when it was built. Nor is one
// of a partitioned table whose parts, or their indexes, are younger. Nor has a table any that this
// transaction may have written: its own rows show beside those that they took the place of.
List* unique_keys(Oid relation);

// Once the scan is planned, of a table of which a key, or one row of each unit, was found before: a
// partition that another transaction attached in between would be in the plan (a table's children
// too, unless it reads ONLY that one). Those of the plan stay until the transaction ends. PV004.
void require_parts_in_snapshot(Oid relation);

// Those of the indexes that there are now, whatever a snapshot shows: what may be declared.
List* declared_unique_keys(Oid relation);

// Whether this transaction may have written rows of the table or its parts: a writer keeps its
// lock.
bool is_written_here(Oid relation);

// Whether it holds of the rows of pg_index of an index and those of its parts. A snapshot from
// before an index can still see the rows that were in its way; of a partitioned table, so can one
// from before a partition's.
bool index_parts(Oid index, bool (*holds)(HeapTuple));
// And of pg_inherits, of all parts of a table: the bounds of a partition say nothing of rows that
// it had before it became one. Its own index may be older than both.
bool table_parts(Oid relation, bool (*holds)(HeapTuple));

// Whether another transaction made a row of pg_index before the active snapshot was taken.
bool is_older_than_snapshot(HeapTuple tuple);

}  // namespace dpmix::pg
