// From the noisy integers of a group to its released values: post-processing, free of charge.
#pragma once

#include "core/query/answers.hpp"
#include "core/query/cube_noise.hpp"
#include "core/query/plan.hpp"
#include "pg/query/answer/end_reach.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

// Of each released value, before the charge; of each grouping set, one after the other. PV005: a
// level out of range.
// sums: of answers that are sums of cubes' cells, [set * statistics + statistic]; NULL: they are
// not.
EndReach* end_reaches(const QueryShape* shape, const QueryGroups* groups,
                      const QueryStatistics* statistics, const StatisticNoise* noise,
                      const CubeReach* sums = NULL);

// Of the interval around one answer that is no quantile or histogram, in groups of a grouping set.
// In guard(): Error PV005. sums: of each statistic, in that set.
EndReach interval_reach(const AggregateParts& parts, const QueryGroups* groups, int set,
                        const StatisticNoise* noise, double level, const CubeReach* sums = NULL);
CubeReach reach_in(const QueryGroups* groups, int set);  // of grouping sets alone
// That answer in a group, a float8 but for counts, and that interval.
Datum answer_in(AggregateKind kind, const AggregateParts& parts, const QueryStatistics* statistics,
                const Int128* noisy);
double number_of(AggregateKind kind, Datum answer);
Interval answer_interval(AggregateKind kind, const AggregateParts& parts,
                         const QueryStatistics* statistics, const EndReach& reach,
                         const Int128* noisy);

struct GroupAnswer {
  const Int128* noisy;   // the group's cells
  const Int128* centre;  // what intervals are around: the same, or not rounded to add up
  KeySet without;        // keys that its grouping set lacks
  const double* slack;   // of each cell, added to the reach of intervals; NULL: none
};
// A released value of a group, of its type.
Datum released_value(const QueryShape* shape, const QueryStatistics* statistics,
                     const StatisticNoise* noise, const EndReach* reach, int value,
                     const GroupAnswer& group);

}  // namespace dpmix::pg
