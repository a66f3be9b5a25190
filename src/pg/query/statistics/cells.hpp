// The statistics of dp_quantile, dp_median and dp_histogram, which have many cells a group.
#pragma once

#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

// How many groups the cells of a query are shared among: the declared ones; of discovered ones
// nobody knows, and it is 16384.
int64 groups_at_once(const QueryGroups* groups);
// How many cells each column of a quantile is cut into at most: `finest`, or fewer where there are
// many groups. PV005: the groups are too many.
int cells_of_quantiles(const QueryShape* shape, int64 groups, int finest);
// Whether a statistic is a level of the aggregate's tree, or its histogram.
bool has_cells_in(const QueryStatistics* list, const AggregateParts& parts, int statistic);
// No more cells than all groups together may have; check_cells: PV005 otherwise.
bool has_room(const QueryStatistics* list, int64 groups);
void check_cells(const QueryStatistics* list, int64 groups);
// The exact counts of a state, into the cells of one statistic.
void read_counts(const QueryStatistic* statistic, Datum state, Int128* cells);

}  // namespace dpmix::pg
