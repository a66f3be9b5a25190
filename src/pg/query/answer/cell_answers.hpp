// Answers made of many cells: quantiles and histograms. first: the index of the statistic.
#pragma once

#include "core/query/plan.hpp"
#include "pg/query/answer/end_reach.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

EndReach cells_reach(const QueryAggregate& aggregate, const QueryStatistics* statistics,
                     const StatisticNoise* noise, int first, double level);
Datum quantile_value(const QueryAggregate& aggregate, const QueryStatistics* statistics,
                     const StatisticNoise* noise, int first, ReleasedEnd end, const EndReach& reach,
                     const Int128* noisy);
Datum histogram_value(const QueryStatistics* statistics, int first, ReleasedEnd end,
                      const EndReach& reach, const Int128* noisy);

}  // namespace dpmix::pg
