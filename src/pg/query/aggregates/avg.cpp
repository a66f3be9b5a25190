// dp_avg.
#include <limits>

#include "core/query/answers.hpp"
#include "core/query/ratio_intervals.hpp"
#include "pg/query/answer/end_reach.hpp"
#include "pg/query/answer/noisy_answer.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/statistics/category_scales.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace dpmix::pg {
namespace {

AggregateParts mean_statistics(const AskedStatistics& asked) {
  const SafeNumber number = asked_number(asked);
  AggregateParts parts = {-1, -1, -1};
  parts.count = add_count(asked, number.counted);
  parts.sum = add_sum_of_categories(asked, number, true);
  return parts;
}

Datum mean_of(const NoisyAnswer& noisy) {
  const AggregateParts& parts = noisy.parts;
  const NoiseInterval bounds = noisy.bounds(parts.sum);
  return Float8GetDatum(mean_answer(noisy.lattice(parts.sum), bounds.low, bounds.high,
                                    noisy.number(parts.count), noisy.number(parts.sum)));
}

NoiseInterval within(const NoisyAnswer& noisy, const EndReach& reach, const NoiseInterval& ends) {
  const AggregateParts& parts = noisy.parts;
  return mean_interval(noisy.lattice(parts.sum), ends.low, ends.high, noisy.number(parts.count),
                       reach.count, noisy.number(parts.sum), reach.sum);
}

NoiseInterval bounds_of_mean(const AnswerSource& source) {
  return source.bounds(source.parts.sum);
}

NoiseInterval interval_of_mean(const NoisyAnswer& noisy, const EndReach& reach) {
  const AggregateParts& parts = noisy.parts;
  const NoiseInterval bounds = bounds_of_mean(noisy);
  if (!reach.normal.known()) return within(noisy, reach, bounds);
  return normal_mean_interval(noisy.lattice(parts.sum), bounds.low, bounds.high,
                              noisy.number(parts.count), noisy.number(parts.sum), reach.normal);
}

NoiseInterval unheld_mean(const NoisyAnswer& noisy, const EndReach& reach) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  return within(noisy, reach, {-endless, endless});
}

std::optional<RatioForm> form_of_mean(const AnswerSource& source) {
  const AggregateParts& parts = source.parts;
  if (source.statistic(parts.sum).scales != NULL) return std::nullopt;  // each group has another
  const Lattice& centred = source.lattice(parts.sum);
  return RatioForm{
      one_statistic(parts.count, centred.value_of(0)) + one_statistic(parts.sum, centred.step),
      one_statistic(parts.count, 1)};
}

const Aggregate kMean({.name = "dp_avg",
                       .stored = 4,
                       .takes = Takes::number,
                       .type = FLOAT8OID,
                       .statistics = mean_statistics,
                       .answer = mean_of,
                       .interval = interval_of_mean,
                       .form = form_of_mean,
                       .range = bounds_of_mean,
                       .unheld = unheld_mean,
                       .in_cubes = {"avg", 2},
                       .plain = {{"avg"}, {"regr_avgx", Made::of_x}, {"regr_avgy", Made::of_y}},
                       .plain_text = "avg"});

}  // namespace
}  // namespace dpmix::pg
