// Which nodes have the shards of a table of Citus's: public, and shown in its own views.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct ShardPlaces {
  int shards, nodes;
};
ShardPlaces shard_places(Oid relation);

// 0: it has none.
int shards_of(Oid relation);
// What the states of so many shards take here: all of them come before they are joined, in rows of
// so many bytes at most.
double bytes_of_states(int shards, double groups, double row_bytes);

// Whether a shard of the table lies on the coordinator, which this is.
bool has_shards_here(Oid relation);

}  // namespace dpmix::pg
