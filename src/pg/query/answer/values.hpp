// From the noisy integers of a group to its released values: post-processing, free of charge.
#pragma once

#include "core/query/plan.hpp"
#include "pg/query/answer/end_reach.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

// Of each released value, before the charge. PV005: a level out of range.
EndReach* end_reaches(const QueryShape* shape, const QueryStatistics* statistics,
                      const StatisticNoise* noise);

// A released value of a group, of its type; noisy: the group's cells.
Datum released_value(const QueryShape* shape, const QueryStatistics* statistics,
                     const StatisticNoise* noise, const EndReach* reach, int value,
                     const Int128* noisy);

}  // namespace dpmix::pg
