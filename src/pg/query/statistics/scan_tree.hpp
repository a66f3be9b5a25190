// The Query that computes exact statistics in one scan.
//
// Enters: the caller's query, of which FROM is kept, and safe expressions. Leaves: a Query that
// returns, for each group that has rows, its keys and then one exact value for each statistic (over
// shards, NULL for those that another carries); where groups are discovered, then the number of its
// privacy units.
#pragma once

#include "core/query/contribution.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"
#include "pg/query/statistics/unit_weighing.hpp"
#include "pg/units/row_memory.hpp"
#include "pg/units/sampled_units.hpp"

namespace dpmix::pg {

// Runs with the rights of each table's owner. Where the table's units may have several rows, over
// as many of them as `unit` admits, or with weights. memory: $1 of its runs; NULL: it remembers
// nothing of rows. shares: of keys that are found, each a run of its own, of which $1 tells the
// number.
Query* scan_tree(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups,
                 const QueryStatistics* statistics, const Contribution& unit,
                 const UnitWeighing* weighing, RowMemory** memory, KeyShares* shares);
// The type of $1; InvalidOid: there is none.
Oid scan_parameter_type(const RowMemory* memory, const KeyShares& shares);
Datum scan_parameter(RowMemory* memory, const KeyShares& shares, int share);

// The same over all rows, and as a person would write it: one SELECT from the tables.
Query* plain_scan_tree(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups,
                       const QueryStatistics* statistics);

// The exact values of statistic i of a row that the statistics query returned, in lattice steps: as
// many as it has cells.
void read_exact(const QueryStatistics* statistics, int i, Datum value, bool null, Int128* group);

}  // namespace dpmix::pg
