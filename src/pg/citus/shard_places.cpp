#include "pg/citus/shard_places.hpp"

#include "pg/citus/catalog.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "nodes/pg_list.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

constexpr int32 kCoordinator = 0;  // its group

struct Lookup {  // of rows of a table of Citus's where its first column of an index equals a value
  const char *table, *index, *column;
  RegProcedure equal;
};
constexpr Lookup kShardsOfTable = {"pg_dist_shard", "pg_dist_shard_logical_relid_index",
                                   "logicalrelid", F_OIDEQ};
constexpr Lookup kShard = {"pg_dist_shard", "pg_dist_shard_shardid_index", "shardid", F_INT8EQ};
constexpr Lookup kPlacesOfShard = {"pg_dist_placement", "pg_dist_placement_shardid_index",
                                   "shardid", F_INT8EQ};
constexpr Lookup kPlacesOnNode = {"pg_dist_placement", "pg_dist_placement_groupid_index", "groupid",
                                  F_INT4EQ};

// receive: of each row what stands in this column.
template <class Receive>
void look_up(const Lookup& lookup, Datum value, const char* wanted, Receive receive) {
  Relation table = table_open(citus_table(lookup.table), AccessShareLock);
  const TupleDesc columns = RelationGetDescr(table);
  ScanKeyData key;
  ScanKeyInit(&key, citus_column(columns, lookup.column), BTEqualStrategyNumber, lookup.equal,
              value);
  SysScanDesc scan = systable_beginscan(table, citus_table(lookup.index), true, NULL, 1, &key);
  while (HeapTuple tuple = systable_getnext(scan)) {
    bool null;
    const Datum found = heap_getattr(tuple, citus_column(columns, wanted), columns, &null);
    if (!null) receive(found);
  }
  systable_endscan(scan);
  table_close(table, AccessShareLock);
}

}  // namespace

ShardPlaces shard_places(Oid relation) {
  ShardPlaces places = {};
  List* nodes = NIL;
  look_up(kShardsOfTable, ObjectIdGetDatum(relation), "shardid", [&](Datum shard) {
    places.shards++;
    look_up(kPlacesOfShard, shard, "groupid",
            [&](Datum node) { nodes = list_append_unique_int(nodes, DatumGetInt32(node)); });
  });
  places.nodes = list_length(nodes);
  return places;
}

int shards_of(Oid relation) {
  return OidIsValid(citus_table(kShardsOfTable.table)) ? shard_places(relation).shards : 0;
}

// Three times each: rows, the arrays into which they are joined, and what these leave behind as
// they grow. And for one group at a time: in a connection's buffer, which doubles, in what is read
// from there, and an array and its copy.
double bytes_of_states(int shards, double groups, double row_bytes) {
  constexpr double kEach = 3, kAtATime = 5, kRow = 256;
  return shards * (row_bytes + kRow) * (kEach * groups + kAtATime);
}

bool has_shards_here(Oid relation) {
  bool here = false;
  look_up(kPlacesOnNode, Int32GetDatum(kCoordinator), "shardid", [&](Datum shard) {
    look_up(kShard, shard, "logicalrelid",
            [&](Datum of) { here = here || DatumGetObjectId(of) == relation; });
  });
  return here;
}

}  // namespace dpmix::pg
