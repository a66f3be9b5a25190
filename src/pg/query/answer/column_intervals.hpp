// The 95% intervals of an answer's columns, group after group: what people are told of them, and
// which values are too uncertain to be shown. Post-processing, free of charge.
#pragma once

#include "pg/query/answer/expression_intervals.hpp"

namespace dpmix::pg {

struct ColumnIntervals;

// Before the groups. sums: as of end_reaches().
ColumnIntervals* column_intervals(const RowScope* scope, const QueryShape* shape,
                                  const QueryGroups* groups, const QueryStatistics* statistics,
                                  const StatisticNoise* noise, const CubeReach* sums);
// The next group, of a grouping set.
void look_at_columns(ColumnIntervals* columns, int set, const GroupAnswer& group);
// Of the group looked at last: the width of a column's interval as a share of its size. NaN: it is
// not known.
double relative_width(const ColumnIntervals* columns, int column);

// Of all groups: "count(*) +/- 37.1, avg(wage) +/- 12 to 45"; NULL: of no column.
const char* widths_text(const ColumnIntervals* columns);

}  // namespace dpmix::pg
