// Rows of privacy units with weights, where the rows of each unit lie together on a shard of
// Citus's.
//
// Enters: a statistics query over such tables, not sampled yet. Leaves: the same over weighed rows.
// The weights are those of unit_weighing.hpp to the bit, computed by windows over a unit's rows,
// which Citus runs where these are (docs/proofs/query_shards.md, "Units").
#pragma once

#include "pg/query/statistics/unit_weighing.hpp"

namespace dpmix::pg {

// Whether a query of one table over shards, which would have rows drawn, is to be one of a single
// row of each unit: its owner says that no more count.
bool can_pick_rows(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups,
                   const QueryStatistics* statistics);

// PV002, before a charge, for grouping sets of units that may have several rows.
void require_weighable(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups);

// query: as weigh_units() takes it, but for statistics that another carries, which are NULL. Behind
// its targets come the numbers of units that are weighed down. Statistics that cannot be weighed
// are of at most so many rows of each unit as may count, picked as pick_rows() does. PV002, before
// a charge: what would have to be drawn otherwise.
void weigh_on_shards(Query* query, const RowScope* scope, const QueryShape* shape,
                     const QueryGroups* groups, const QueryStatistics* statistics,
                     const Contribution& most, const UnitWeighing* weighing);

// Adds up the numbers of units weighed down in a row that such a query returned; first: where these
// last targets begin.
void add_weighed_down(const UnitWeighing* weighing, const Datum* values, const bool* nulls,
                      int first);

}  // namespace dpmix::pg
