#include "pg/query/statistics/shards.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_places.hpp"
#include "pg/citus/shard_text.hpp"
#include "pg/citus/unit_placement.hpp"
#include "pg/query/read/sources.hpp"

extern "C" {
#include "access/xact.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

[[noreturn]] void refuse_query(const char* message, const char* detail, const char* hint) {
  refuse(ErrorCode::query_not_allowed, message, detail, hint);
}

// Of the tables of all sources, and those that layers read.
List* relations_read(const QuerySources* sources) {
  List* relations = NIL;
  for (int i = 0; i < sources->count; i++) {
    relations = list_concat(relations, relations_of(&sources->source[i]));
  }
  return relations;
}

// Those of layers are looked at with the layer.
void require_placed_by_unit(const QuerySources* sources) {
  PlacedTable* tables = (PlacedTable*)palloc(sizeof(PlacedTable) * (Size)sources->count);
  for (int i = 0; i < sources->count; i++) {
    const QuerySource& source = sources->source[i];
    if (source.layer != NULL) return;
    tables[i] = {source.relation,
                 source.table != NULL ? source.table->unit : (AttrNumber)InvalidAttrNumber};
  }
  require_units_together(tables, sources->count);
}

}  // namespace

bool any_distributed(const QuerySources* sources) {
  const ListCell* cell;
  foreach (cell, relations_read(sources)) {
    if (is_distributed(lfirst_oid(cell))) return true;
  }
  return false;
}

bool reads_shards(const QuerySources* sources) {
  for (int i = 0; i < sources->count; i++) {
    if (has_shards(sources->source[i].relation)) return true;
  }
  return false;
}

const char* tasks_text(const QuerySources* sources) {
  for (int i = 0; i < sources->count; i++) {
    const Oid relation = sources->source[i].relation;
    if (!has_shards(relation)) continue;
    const ShardPlaces places = shard_places(relation);
    return psprintf("in %d task%s on %d node%s", places.shards, places.shards == 1 ? "" : "s",
                    places.nodes, places.nodes == 1 ? "" : "s");
  }
  return NULL;
}

void require_distributable(const RowScope* scope, const QueryShape* shape) {
  const QuerySources* sources = scope->sources;
  if (!any_distributed(sources)) return;
  if (shape->joined.sampled) require_placed_by_unit(sources);
  if (sources->count > 1 && have_several_owners(sources)) {
    refuse_several_owners();
  }
  if (sources->count > 1 && !shape->joined.sampled && IsolationUsesXactSnapshot()) {
    refuse_query("joins of distributed tables need the isolation level READ COMMITTED",
                 "An old snapshot may show rows that a unique index of a shard excludes by now.",
                 "Ask in a transaction that is READ COMMITTED, as is the default.");
  }
}

void write_for_shards(Query* query, const QuerySources* sources) {
  if (any_distributed(sources)) write_for_shards(query);
}

}  // namespace dpmix::pg
