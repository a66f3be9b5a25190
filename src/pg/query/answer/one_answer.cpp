#include "pg/query/answer/one_answer.hpp"

#include "core/noise/lattice_moments.hpp"
#include "core/query/upgrade.hpp"
#include "pg/query/read/aggregate.hpp"

namespace dpmix::pg {

AnswerSource answer_source(const QueryShape* shape, const QueryStatistics* statistics,
                           const StatisticNoise* noise, int aggregate) {
  return {&shape->aggregate[aggregate], statistics->parts[aggregate], statistics, noise};
}

CubeReach reach_in(const QueryGroups* groups, int set) {
  const QueryCube* cube = groups->cube;
  return {cube->variance[set], cube->squares[set], cube->least_stretch, (double)groups->count};
}

double statistic_reach(const QueryGroups* groups, int set, const StatisticNoise* noise,
                       int statistic, double level, int parts, const CubeReach* sums) {
  if (sums == NULL && groups->cube == NULL) return answer_reach(noise[statistic], level, parts);
  check_level(level);
  const CubeReach of = sums != NULL ? sums[statistic] : reach_in(groups, set);
  return cube_reach(noise[statistic].law, of, ladder_level(level, noise[statistic].draws), parts);
}

EndReach interval_reach(const AnswerSource& source, const QueryGroups* groups, int set,
                        double level, const CubeReach* sums) {
  const AggregateParts& part = source.parts;
  const StatisticNoise* noise = source.noise;
  const bool of_cube = sums != NULL || groups->cube != NULL;
  const int parts = (part.count >= 0) + (part.sum >= 0) + (part.squares >= 0) + (part.y_sum >= 0) +
                    (part.y_squares >= 0) + (part.products >= 0);
  const auto reach_of = [&](int statistic) {
    if (statistic < 0) return 0.0;
    return statistic_reach(groups, set, noise, statistic, level, parts, sums);
  };
  EndReach reach = {reach_of(part.count), reach_of(part.sum),       reach_of(part.squares), NULL,
                    reach_of(part.y_sum), reach_of(part.y_squares), reach_of(part.products)};
  if (!of_cube && part.divides() && part.products < 0) {
    reach.normal = normal_reach(noise[part.count], noise[part.sum],
                                part.squares >= 0 ? &noise[part.squares] : nullptr, level);
  }
  return reach;
}

double number_in(const AnswerSource& source, const Int128* noisy) {
  const Aggregate* row = source.aggregate->row;
  const Datum answer = row->answer({source, noisy});
  return row->counts() ? (double)DatumGetInt64(answer) : DatumGetFloat8(answer);
}

NoiseInterval answer_interval(const AnswerSource& source, const EndReach& reach,
                              const Int128* noisy) {
  return source.aggregate->row->interval({source, noisy}, reach);
}

NoiseInterval interval_in(const AnswerSource& source, const EndReach& reach,
                          const GroupAnswer& group) {
  EndReach wide = reach;
  if (group.slack != NULL) {
    const AggregateParts& parts = source.parts;
    const auto slack_of = [&](int part) {
      return part < 0 ? 0 : group.slack[source.statistics->first[part]];
    };
    wide.count += slack_of(parts.count);
    wide.sum += slack_of(parts.sum);
    wide.squares += slack_of(parts.squares);
    wide.y_sum += slack_of(parts.y_sum);
    wide.y_squares += slack_of(parts.y_squares);
    wide.products += slack_of(parts.products);
  }
  NoiseInterval interval = answer_interval(source, wide, group.centre);
  if (group.centre != group.noisy) {  // the answer was rounded to add up
    const double held = number_in(source, group.noisy);
    interval = {Min(interval.low, held), Max(interval.high, held)};
  }
  return interval;
}

Datum value_in(const AnswerSource& source, ReleasedEnd end, const EndReach& reach,
               const GroupAnswer& group) {
  const Aggregate* row = source.aggregate->row;
  if (end == ReleasedEnd::answer) return row->answer({source, group.noisy});
  if (!row->is_number()) return row->ends({source, group.noisy}, reach, end);
  const NoiseInterval interval = interval_in(source, reach, group);
  return Float8GetDatum(end == ReleasedEnd::low ? interval.low : interval.high);
}

}  // namespace dpmix::pg
