#include "pg/query/answer/values.hpp"

#include "core/noise/lattice_moments.hpp"
#include "core/query/answers.hpp"
#include "core/query/regression_answers.hpp"
#include "core/query/upgrade.hpp"
#include "core/query/variance_answers.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/answer/cell_answers.hpp"

namespace dpmix::pg {
namespace {

struct Group {  // one group's view of the statistics
  const QueryStatistics* statistics;
  const Int128* noisy;

  const QueryStatistic& statistic(int i) const { return statistics->statistic[i]; }
  Int128 number(int i) const { return noisy[statistics->first[i]]; }
  SpreadCells spread(const AggregateParts& parts) const {
    return {number(parts.count), number(parts.sum), number(parts.squares)};
  }
};

PairColumns pair_columns(const AggregateParts& parts, const Group& group) {
  const auto column = [&](int sum) -> PairColumn {
    const QueryStatistic& of = group.statistic(sum);
    return {of.lattice, of.lower, of.upper};
  };
  return {column(parts.sum), column(parts.y_sum), group.statistic(parts.products).lattice};
}

PairCells pair_cells(const AggregateParts& parts, const Group& group) {
  const auto number = [&](int part) { return part < 0 ? 0 : group.number(part); };
  return {number(parts.count),   number(parts.sum),       number(parts.y_sum),
          number(parts.squares), number(parts.y_squares), number(parts.products)};
}

Datum answer_of(AggregateKind kind, const AggregateParts& parts, const Group& group) {
  switch (kind) {
    case AggregateKind::count_rows:
    case AggregateKind::count_values:
    case AggregateKind::count_distinct:
      return Int64GetDatum(count_answer(group.number(parts.count)));
    case AggregateKind::sum:
      return Float8GetDatum(
          sum_answer(group.statistic(parts.sum).lattice, group.number(parts.sum)));
    case AggregateKind::mean: {
      const QueryStatistic& sum = group.statistic(parts.sum);
      return Float8GetDatum(mean_answer(sum.lattice, sum.lower, sum.upper,
                                        group.number(parts.count), group.number(parts.sum)));
    }
    case AggregateKind::variance:
      return Float8GetDatum(
          variance_answer(group.statistic(parts.sum).lattice, group.spread(parts)));
    case AggregateKind::stddev:
      return Float8GetDatum(stddev_answer(group.statistic(parts.sum).lattice, group.spread(parts)));
    case AggregateKind::pairs:
      return Int64GetDatum(count_answer(group.number(parts.count)));
    case AggregateKind::covariance:
      return Float8GetDatum(
          covariance_answer(pair_columns(parts, group), pair_cells(parts, group)));
    case AggregateKind::correlation:
      return Float8GetDatum(
          correlation_answer(pair_columns(parts, group), pair_cells(parts, group)));
    case AggregateKind::slope:
      return Float8GetDatum(slope_answer(pair_columns(parts, group), pair_cells(parts, group)));
    case AggregateKind::intercept:
      return Float8GetDatum(intercept_answer(pair_columns(parts, group), pair_cells(parts, group)));
    case AggregateKind::quantile:
    case AggregateKind::histogram:
      break;  // cell_answers
  }
  elog(ERROR, "an aggregate is of no known kind");
}

bool is_end(ReleasedEnd end) {
  return end == ReleasedEnd::low || end == ReleasedEnd::high;
}

}  // namespace

CubeReach reach_in(const QueryGroups* groups, int set) {
  const QueryCube* cube = groups->cube;
  return {cube->variance[set], cube->squares[set], cube->least_stretch, (double)groups->count};
}

EndReach interval_reach(const AggregateParts& part, const QueryGroups* groups, int set,
                        const StatisticNoise* noise, double level, const CubeReach* sums) {
  const bool of_cube = sums != NULL || groups->cube != NULL;
  const int parts = (part.count >= 0) + (part.sum >= 0) + (part.squares >= 0) + (part.y_sum >= 0) +
                    (part.y_squares >= 0) + (part.products >= 0);
  const auto reach_of = [&](int statistic) {
    if (statistic < 0) return 0.0;
    if (!of_cube) return answer_reach(noise[statistic], level, parts);
    check_level(level);
    const CubeReach of = sums != NULL ? sums[statistic] : reach_in(groups, set);
    return cube_reach(noise[statistic].law, of, ladder_level(level, noise[statistic].draws), parts);
  };
  EndReach reach = {reach_of(part.count), reach_of(part.sum),       reach_of(part.squares), NULL,
                    reach_of(part.y_sum), reach_of(part.y_squares), reach_of(part.products)};
  if (!of_cube && part.divides() && part.products < 0) {
    reach.normal = normal_reach(noise[part.count], noise[part.sum],
                                part.squares >= 0 ? &noise[part.squares] : nullptr, level);
  }
  return reach;
}

Datum answer_in(AggregateKind kind, const AggregateParts& parts, const QueryStatistics* statistics,
                const Int128* noisy) {
  return answer_of(kind, parts, {statistics, noisy});
}

double number_of(AggregateKind kind, Datum answer) {
  switch (kind) {
    case AggregateKind::count_rows:
    case AggregateKind::count_values:
    case AggregateKind::count_distinct:
    case AggregateKind::pairs:
      return (double)DatumGetInt64(answer);
    case AggregateKind::sum:
    case AggregateKind::mean:
    case AggregateKind::variance:
    case AggregateKind::stddev:
    case AggregateKind::covariance:
    case AggregateKind::correlation:
    case AggregateKind::slope:
    case AggregateKind::intercept:
      return DatumGetFloat8(answer);
    case AggregateKind::quantile:
    case AggregateKind::histogram:
      break;  // cell_answers
  }
  elog(ERROR, "an aggregate is of no known kind");
}

Interval answer_interval(AggregateKind kind, const AggregateParts& parts,
                         const QueryStatistics* statistics, const EndReach& reach,
                         const Int128* noisy) {
  const Group group = {statistics, noisy};
  const auto of_pairs = [&](auto interval) {
    return interval(pair_columns(parts, group), pair_cells(parts, group),
                    PairReach{reach.count, reach.sum, reach.y_sum, reach.squares, reach.y_squares,
                              reach.products});
  };
  switch (kind) {
    case AggregateKind::count_rows:
    case AggregateKind::count_values:
    case AggregateKind::count_distinct:
      return count_interval(group.number(parts.count), reach.count);
    case AggregateKind::sum:
      return sum_interval(group.statistic(parts.sum).lattice, group.number(parts.sum), reach.sum);
    case AggregateKind::mean: {
      const QueryStatistic& sum = group.statistic(parts.sum);
      if (reach.normal.known()) {
        return normal_mean_interval(sum.lattice, sum.lower, sum.upper, group.number(parts.count),
                                    group.number(parts.sum), reach.normal);
      }
      return mean_interval(sum.lattice, sum.lower, sum.upper, group.number(parts.count),
                           reach.count, group.number(parts.sum), reach.sum);
    }
    case AggregateKind::variance:
      if (reach.normal.known()) {
        return normal_variance_interval(group.statistic(parts.sum).lattice, group.spread(parts),
                                        reach.normal);
      }
      return variance_interval(group.statistic(parts.sum).lattice, group.spread(parts),
                               {reach.count, reach.sum, reach.squares});
    case AggregateKind::stddev:
      if (reach.normal.known()) {
        return normal_stddev_interval(group.statistic(parts.sum).lattice, group.spread(parts),
                                      reach.normal);
      }
      return stddev_interval(group.statistic(parts.sum).lattice, group.spread(parts),
                             {reach.count, reach.sum, reach.squares});
    case AggregateKind::pairs:
      return count_interval(group.number(parts.count), reach.count);
    case AggregateKind::covariance:
      return of_pairs(covariance_interval);
    case AggregateKind::correlation:
      return of_pairs(correlation_interval);
    case AggregateKind::slope:
      return of_pairs(slope_interval);
    case AggregateKind::intercept:
      return of_pairs(intercept_interval);
    case AggregateKind::quantile:
    case AggregateKind::histogram:
      break;  // cell_answers
  }
  elog(ERROR, "an aggregate is of no known kind");
}

namespace {

void find_reaches(const QueryShape* shape, const QueryGroups* groups,
                  const QueryStatistics* statistics, const StatisticNoise* noise, int set,
                  const CubeReach* sums, EndReach* reach) {
  for (int i = 0; i < shape->values; i++) {
    const ReleasedValue* value = &shape->value[i];
    if (!is_end(value->end)) continue;
    CHECK_FOR_INTERRUPTS();
    const AggregateParts& part = statistics->parts[value->aggregate];
    int known = i - 1;  // the other end
    while (known >= 0 &&
           (!is_end(shape->value[known].end) || shape->value[known].aggregate != value->aggregate ||
            shape->value[known].level != value->level)) {
      known--;
    }
    if (known >= 0) {
      reach[i] = reach[known];
      continue;
    }
    if (part.cells >= 0) {
      reach[i] = cells_reach(shape->aggregate[value->aggregate], statistics, noise, part.cells,
                             value->level);
      continue;
    }
    const CubeReach* here = sums != NULL ? sums + set * statistics->count : NULL;
    reach[i] = guard([&] { return interval_reach(part, groups, set, noise, value->level, here); });
  }
}

// The bits of GROUPING(), as PostgreSQL has them: 1 for each key that is not grouped by, the last
// one lowest.
int32 grouping_bits(const QueryGrouping& grouping, KeySet without) {
  uint32 bits = 0;
  for (int i = 0; i < grouping.keys; i++) {
    const int key = grouping.key[i];
    bits = bits << 1 | (key < kMostKeys ? (uint32)(without >> key & 1) : 0);
  }
  return (int32)bits;
}

}  // namespace

EndReach* end_reaches(const QueryShape* shape, const QueryGroups* groups,
                      const QueryStatistics* statistics, const StatisticNoise* noise,
                      const CubeReach* sums) {
  const int sets = sets_of(groups);
  EndReach* reach = (EndReach*)palloc0(sizeof(EndReach) * sets * (shape->values + 1));
  for (int set = 0; set < sets; set++) {
    find_reaches(shape, groups, statistics, noise, set, sums, reach + set * shape->values);
  }
  return reach;
}

Datum released_value(const QueryShape* shape, const QueryStatistics* statistics,
                     const StatisticNoise* noise, const EndReach* reach, int value,
                     const GroupAnswer& answer) {
  const ReleasedValue* asked = &shape->value[value];
  if (asked->end == ReleasedEnd::grouping) {
    return Int32GetDatum(grouping_bits(asked->grouping, answer.without));
  }
  const Int128* noisy = answer.noisy;
  const AggregateKind kind = shape->aggregate[asked->aggregate].kind;
  const AggregateParts& parts = statistics->parts[asked->aggregate];
  if (parts.cells >= 0) {
    const QueryAggregate& aggregate = shape->aggregate[asked->aggregate];
    return kind == AggregateKind::quantile
               ? quantile_value(aggregate, statistics, noise, parts.cells, asked->end, reach[value],
                                noisy)
               : histogram_value(statistics, parts.cells, asked->end, reach[value], noisy);
  }
  const Group group = {statistics, noisy};
  if (asked->end == ReleasedEnd::answer) return answer_of(kind, parts, group);
  EndReach wide = reach[value];
  if (answer.slack != NULL) {
    const auto slack_of = [&](int part) {
      return part < 0 ? 0 : answer.slack[statistics->first[part]];
    };
    wide.count += slack_of(parts.count);
    wide.sum += slack_of(parts.sum);
    wide.squares += slack_of(parts.squares);
    wide.y_sum += slack_of(parts.y_sum);
    wide.y_squares += slack_of(parts.y_squares);
    wide.products += slack_of(parts.products);
  }
  Interval interval = answer_interval(kind, parts, statistics, wide, answer.centre);
  if (answer.centre != noisy) {  // the answer was rounded to add up
    const double held = number_of(kind, answer_of(kind, parts, group));
    interval = {Min(interval.low, held), Max(interval.high, held)};
  }
  return Float8GetDatum(asked->end == ReleasedEnd::low ? interval.low : interval.high);
}

}  // namespace dpmix::pg
