// A layer over tables that Citus distributes by their privacy unit, as one query over all of a
// shard's rows: what is run for one unit after the other where rows are held is grouped,
// partitioned and told apart by the unit, too (docs/proofs/query_shards.md, "Layers").
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// The rows of the layer: its columns, then the unit. PV002: a construct that is not written so.
Query* rows_on_shards(const LayerQuery* level);
// PV002 where the rows of a unit do not lie together, in all tables that a layer reads, or these
// are of several owners.
void require_layer_on_shards(const Layer* layer);
// Whether a unit has one row in it because it is grouped by the unit, whatever tables hold.
bool has_one_grouped_row(const LayerQuery* level);

}  // namespace dpmix::pg
