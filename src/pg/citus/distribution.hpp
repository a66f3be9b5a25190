// Where Citus keeps a table's rows, as its catalog says; and what a release over such a table must
// not be.
//
// Nothing here links to Citus: its catalog is read by name, and without it every table is `here`.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
}

namespace dpmix::pg {

enum class Placement {
  here,    // Citus has nothing to do with it
  shards,  // rows lie by the hash of one column, on any number of nodes
  whole,   // a reference table, or one shard: all rows together, here or elsewhere
  other,   // ranges and pieces appended by hand
};

struct Distribution {
  Placement placement = Placement::here;
  AttrNumber column = InvalidAttrNumber;  // the column of shards
  bool copied = false;                    // Citus copies it to several nodes
  int32 together = 0;  // equal for tables whose shards of equal values lie on one node; 0: unknown
};

Distribution distribution_of(Oid relation);
inline bool is_distributed(Oid relation) {
  return distribution_of(relation).placement != Placement::here;
}
inline bool has_shards(Oid relation) {
  return distribution_of(relation).placement == Placement::shards;
}

// Why no budget can stand by a relation on this node of a Citus cluster ("is a shard ..."); NULL.
const char* undistributable_kind(Oid relation);

// The same of a table with a budget alone, whose groups must not come twice: public ones may be
// reference tables.
const char* copied_kind(Oid relation);

// PV002 in a transaction that other nodes take part in: Citus begins it there with the texts of SET
// LOCAL that the caller sent ahead, on connections of the table's owner.
void refuse_distributed_transaction();

// PV002 for a release that reads the rows themselves, before its charge. what: "a synthetic table".
void refuse_distributed(Oid relation, const char* what);

}  // namespace dpmix::pg
