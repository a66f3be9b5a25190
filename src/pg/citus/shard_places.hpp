// Which nodes have the shards of a table of Citus's: public, and shown in its own views.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct ShardPlaces {
  int shards, nodes;
};
ShardPlaces shard_places(Oid relation);

// Whether a shard of the table lies on the coordinator, which this is.
bool has_shards_here(Oid relation);

}  // namespace dpmix::pg
