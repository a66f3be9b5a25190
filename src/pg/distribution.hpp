// Where Citus keeps a table's rows, as its catalog says; and what a release over such a table must
// not be.
//
// Nothing here links to Citus: its catalog is read by name, and without it every table is `here`.
#pragma once

#include "pg/query_shape.hpp"

extern "C" {
#include "nodes/plannodes.h"
}

namespace dpmix::pg {

enum class Placement {
  here,    // Citus has nothing to do with it
  shards,  // by the hash of one column, on any number of nodes
  whole,   // a reference table, or one shard: all rows together, here or elsewhere
  other,   // ranges and pieces appended by hand
};

struct Distribution {
  Placement placement = Placement::here;
  AttrNumber column = InvalidAttrNumber;  // of shards
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

// PV002, before a charge: what cannot be answered rightly where the rows lie, once the query is
// known.
void require_distributable(const RowScope* scope, const QueryShape* shape);
// PV002 for a release that reads the rows themselves. what: "a synthetic table".
void refuse_distributed(Oid relation, const char* what);

// Whether a statistics query reads a table of Citus's; its subqueries count.
bool reads_distributed(const Query* query);
// PV002 if the plan calls a function of a user: Citus finds the aggregates that join results by
// name alone, in any schema.
void require_known_functions(const PlannedStmt* plan);

}  // namespace dpmix::pg
