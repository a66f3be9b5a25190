// What an answer is made of, as the row of its aggregate sees it.
#pragma once

#include "core/query/answers.hpp"
#include "core/query/family_noise.hpp"
#include "pg/query/statistics/category_scales.hpp"

namespace dpmix::pg {

struct AnswerSource {  // the same in every group
  const QueryAggregate* aggregate;
  AggregateParts parts;
  const QueryStatistics* statistics;
  const StatisticNoise* noise;  // of each statistic

  const QueryStatistic& statistic(int i) const { return statistics->statistic[i]; }
  // On which the number of the group at hand is read, and the bounds that its values have.
  const Lattice& lattice(int i) const {
    const CategoryScales* scales = statistic(i).scales;
    return scales == NULL ? statistic(i).lattice : scales->lattice[scales->now];
  }
  NoiseInterval bounds(int i) const {
    const CategoryScales* scales = statistic(i).scales;
    if (scales == NULL) return {statistic(i).lower, statistic(i).upper};
    const BoundsScale& scale = scales->scale[scales->now];
    return {scale.lower, scale.upper};
  }
};

struct NoisyAnswer : AnswerSource {  // in one group
  const Int128* noisy;               // its cells

  const Int128* cells(int i) const { return noisy + statistics->first[i]; }
  Int128 number(int i) const { return *cells(i); }
};

}  // namespace dpmix::pg
