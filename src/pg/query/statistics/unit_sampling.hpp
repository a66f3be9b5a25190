// Samples rows of privacy units: of each at most so many, chosen at random while the statistics
// query runs.
//
// Enters: a statistics query over all rows. Leaves: the same over a sample of them. Which rows of a
// unit are kept depends on the rows of that unit and on secret random bits alone, fresh in each
// run: not on the rows of others, nor on where rows lie (docs/proofs/query_units.md).
#pragma once

#include "core/query/contribution.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/units/sampled_units.hpp"

namespace dpmix::pg {

// query: plain columns of FROM, WHERE, group keys and aggregates, and nothing else; it is used up.
// unit_counts: the places of those among its targets that count rows (count(*) or of the unit), and
// are to count units. apart: rows of a unit for which this differs (never NULL) are those of
// different units; NULL: of one. Rows without a unit, or with a NULL key, are left out. Plans the
// scan that counts rows. What comes back is of $1 when the query runs (row_memory.hpp), for one
// run. PV002: units, or so many keys, that cannot be sampled.
SampledUnits* sample_units(Query* query, const RowScope* scope, const QueryGroups* groups,
                           const Contribution& most, Expr* apart, const List* unit_counts);

}  // namespace dpmix::pg
