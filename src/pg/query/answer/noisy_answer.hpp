// What an answer is made of, as the row of its aggregate sees it.
#pragma once

#include "core/query/family_noise.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

struct AnswerSource {  // the same in every group
  const QueryAggregate* aggregate;
  AggregateParts parts;
  const QueryStatistics* statistics;
  const StatisticNoise* noise;  // of each statistic

  const QueryStatistic& statistic(int i) const { return statistics->statistic[i]; }
  const Lattice& lattice(int i) const { return statistic(i).lattice; }
};

struct NoisyAnswer : AnswerSource {  // in one group
  const Int128* noisy;               // its cells

  const Int128* cells(int i) const { return noisy + statistics->first[i]; }
  Int128 number(int i) const { return *cells(i); }
};

}  // namespace dpmix::pg
