#include "pg/query/answer/values.hpp"

#include "core/query/answers.hpp"
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

Interval interval_of(AggregateKind kind, const AggregateParts& parts, const EndReach& reach,
                     const Group& group) {
  switch (kind) {
    case AggregateKind::count_rows:
    case AggregateKind::count_values:
    case AggregateKind::count_distinct:
      return count_interval(group.number(parts.count), reach.count);
    case AggregateKind::sum:
      return sum_interval(group.statistic(parts.sum).lattice, group.number(parts.sum), reach.sum);
    case AggregateKind::mean: {
      const QueryStatistic& sum = group.statistic(parts.sum);
      return mean_interval(sum.lattice, sum.lower, sum.upper, group.number(parts.count),
                           reach.count, group.number(parts.sum), reach.sum);
    }
    case AggregateKind::variance:
      return variance_interval(group.statistic(parts.sum).lattice, group.spread(parts),
                               {reach.count, reach.sum, reach.squares});
    case AggregateKind::stddev:
      return stddev_interval(group.statistic(parts.sum).lattice, group.spread(parts),
                             {reach.count, reach.sum, reach.squares});
    case AggregateKind::quantile:
    case AggregateKind::histogram:
      break;  // cell_answers
  }
  elog(ERROR, "an aggregate is of no known kind");
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
    case AggregateKind::quantile:
    case AggregateKind::histogram:
      break;  // cell_answers
  }
  elog(ERROR, "an aggregate is of no known kind");
}

}  // namespace

EndReach* end_reaches(const QueryShape* shape, const QueryStatistics* statistics,
                      const StatisticNoise* noise) {
  EndReach* reach = (EndReach*)palloc0(sizeof(EndReach) * shape->values);
  for (int i = 0; i < shape->values; i++) {
    const ReleasedValue* value = &shape->value[i];
    if (value->end == ReleasedEnd::answer) continue;
    CHECK_FOR_INTERRUPTS();
    const AggregateParts& part = statistics->parts[value->aggregate];
    int known = i - 1;  // the other end
    while (known >= 0 && (shape->value[known].end == ReleasedEnd::answer ||
                          shape->value[known].aggregate != value->aggregate ||
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
    const int parts = (part.count >= 0) + (part.sum >= 0) + (part.squares >= 0);
    const auto reach_of = [&](int statistic) {
      return statistic < 0 ? 0 : noise_reach(noise[statistic].law, value->level, parts);
    };
    reach[i] = guard([&] {
      return EndReach{reach_of(part.count), reach_of(part.sum), reach_of(part.squares), NULL};
    });
  }
  return reach;
}

Datum released_value(const QueryShape* shape, const QueryStatistics* statistics,
                     const StatisticNoise* noise, const EndReach* reach, int value,
                     const Int128* noisy) {
  const ReleasedValue* asked = &shape->value[value];
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
  const Interval interval = interval_of(kind, parts, reach[value], group);
  return Float8GetDatum(asked->end == ReleasedEnd::low ? interval.low : interval.high);
}

}  // namespace dpmix::pg
