// The released values of a group, from its noisy integers: post-processing, free of charge.
#pragma once

#include "core/query/plan.hpp"
#include "pg/query/answer/one_answer.hpp"

namespace dpmix::pg {

// The reach of each released value, for one grouping set after the other. Call before the charge.
// PV002: an end of an interval that is not known; PV005: a level out of range.
// sums: the reach of each statistic where answers are sums of cubes' cells, [set * statistics +
// statistic]; NULL: they are not.
EndReach* end_reaches(const QueryShape* shape, const QueryGroups* groups,
                      const QueryStatistics* statistics, const StatisticNoise* noise,
                      const CubeReach* sums = NULL);
// A released value of a group, of its type.
Datum released_value(const QueryShape* shape, const QueryStatistics* statistics,
                     const StatisticNoise* noise, const EndReach* reach, int value,
                     const GroupAnswer& group);
// Whether a released value counts rows: it has a value of no row, too.
bool is_count(const QueryShape* shape, int value);

}  // namespace dpmix::pg
