// The 95% intervals of an answer's columns, group after group: what people are told of them, and
// which values are too uncertain to be shown. Post-processing, free of charge.
#pragma once

#include "pg/query/answer/expression_intervals.hpp"

namespace dpmix::pg {

struct ColumnIntervals;

// Call before the groups. sums: those of end_reaches().
ColumnIntervals* column_intervals(const RowScope* scope, const QueryShape* shape,
                                  const QueryGroups* groups, const QueryStatistics* statistics,
                                  const StatisticNoise* noise, const CubeReach* sums);
// Takes in the next group, of a grouping set.
void look_at_columns(ColumnIntervals* columns, int set, const GroupAnswer& group);
// The width of a column's interval as a share of its value, in the group looked at last. NaN: it
// is not known.
double relative_width(const ColumnIntervals* columns, int column);

// The widths in all groups: "count(*) +/- 37.1, avg(wage) +/- 12 to 45"; NULL: no column has any.
const char* widths_text(const ColumnIntervals* columns);

}  // namespace dpmix::pg
