// dp_var and dp_stddev.
#include "core/query/variance_answers.hpp"
#include "pg/query/answer/end_reach.hpp"
#include "pg/query/answer/noisy_answer.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/statistics/sums.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace dpmix::pg {
namespace {

AggregateParts spread_statistics(const AskedStatistics& asked) {
  return add_moments(asked, asked_number(asked), true);
}

const Lattice& centred_of(const AnswerSource& source) {
  return source.lattice(source.parts.sum);
}

SpreadCells cells_of(const NoisyAnswer& noisy) {
  return {noisy.number(noisy.parts.count), noisy.number(noisy.parts.sum),
          noisy.number(noisy.parts.squares)};
}

SpreadReach reaches_of(const EndReach& reach) {
  return {reach.count, reach.sum, reach.squares};
}

double half_of_bounds(const AnswerSource& source) {
  const QueryStatistic& sum = source.statistic(source.parts.sum);
  return (sum.upper - sum.lower) / 2;
}

Datum variance_of(const NoisyAnswer& noisy) {
  return Float8GetDatum(variance_answer(centred_of(noisy), cells_of(noisy)));
}

NoiseInterval interval_of_variance(const NoisyAnswer& noisy, const EndReach& reach) {
  return reach.normal.known()
             ? normal_variance_interval(centred_of(noisy), cells_of(noisy), reach.normal)
             : variance_interval(centred_of(noisy), cells_of(noisy), reaches_of(reach));
}

NoiseInterval range_of_variance(const AnswerSource& source) {
  const double half = half_of_bounds(source);
  return {0, half * half};
}

Datum stddev_of(const NoisyAnswer& noisy) {
  return Float8GetDatum(stddev_answer(centred_of(noisy), cells_of(noisy)));
}

NoiseInterval interval_of_stddev(const NoisyAnswer& noisy, const EndReach& reach) {
  return reach.normal.known()
             ? normal_stddev_interval(centred_of(noisy), cells_of(noisy), reach.normal)
             : stddev_interval(centred_of(noisy), cells_of(noisy), reaches_of(reach));
}

NoiseInterval range_of_stddev(const AnswerSource& source) {
  return {0, half_of_bounds(source)};
}

constexpr const char *kVariance = "the variance of the population",
                     *kDeviation = "the deviation of the population";

const Aggregate kVar({.name = "dp_var",
                      .stored = 5,
                      .takes = Takes::number,
                      .type = FLOAT8OID,
                      .statistics = spread_statistics,
                      .answer = variance_of,
                      .interval = interval_of_variance,
                      .range = range_of_variance,
                      .in_cubes = {"variance", 5},
                      .plain = {{"var_pop"},
                                {"var_samp", Made::sample_variance, kVariance},
                                {"variance", Made::sample_variance, kVariance},
                                {"regr_sxx", Made::total_of_x},
                                {"regr_syy", Made::total_of_y}},
                      .plain_text = "var_*"});
const Aggregate kStddev({.name = "dp_stddev",
                         .stored = 6,
                         .takes = Takes::number,
                         .type = FLOAT8OID,
                         .statistics = spread_statistics,
                         .answer = stddev_of,
                         .interval = interval_of_stddev,
                         .range = range_of_stddev,
                         .in_cubes = {"stddev", 6},
                         .plain = {{"stddev_pop"},
                                   {"stddev_samp", Made::sample_stddev, kDeviation},
                                   {"stddev", Made::sample_stddev, kDeviation}},
                         .plain_text = "stddev_*"});

}  // namespace
}  // namespace dpmix::pg
