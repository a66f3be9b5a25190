// Counts and sums of privacy units with weights on Citus's shards, where the rows of each unit lie
// together: added up by unit and group first, then weighed. Nothing is sorted but these sums, where
// a unit may have several.
//
// The sums are those of weighed rows (shard_weighing.hpp) to the bit: docs/proofs/query_shards.md,
// "Units".
#pragma once

#include "pg/query/statistics/unit_weighing.hpp"

namespace dpmix::pg {

// Whether all statistics are such. Histograms are not: one would take its cells of each unit and
// group.
bool can_sum_by_unit(const QueryStatistics* statistics);

// As weigh_on_shards(), which asks this one where it can.
void weigh_sums_of_units(Query* query, const RowScope* scope, const QueryGroups* groups,
                         const QueryStatistics* statistics, const Contribution& most,
                         const UnitWeighing* weighing);

}  // namespace dpmix::pg
