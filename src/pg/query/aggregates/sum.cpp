// dp_sum.
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

AggregateParts sum_statistics(const AskedStatistics& asked) {
  return {-1, add_sum_of_categories(asked, asked_number(asked), false), -1};
}

Datum sum_of(const NoisyAnswer& noisy) {
  const int sum = noisy.parts.sum;
  return Float8GetDatum(sum_answer(noisy.lattice(sum), noisy.number(sum)));
}

NoiseInterval interval_of_sum(const NoisyAnswer& noisy, const EndReach& reach) {
  const int sum = noisy.parts.sum;
  return sum_interval(noisy.lattice(sum), noisy.number(sum), reach.sum);
}

std::optional<RatioForm> form_of_sum(const AnswerSource& source) {
  const int sum = source.parts.sum;
  if (source.statistic(sum).scales != NULL) return std::nullopt;  // each group has another
  return RatioForm{one_statistic(sum, source.lattice(sum).step), {1}};
}

const Aggregate kSum({.name = "dp_sum",
                      .stored = 3,
                      .takes = Takes::number,
                      .type = FLOAT8OID,
                      .statistics = sum_statistics,
                      .answer = sum_of,
                      .interval = interval_of_sum,
                      .form = form_of_sum,
                      .in_counters = true,
                      .in_cubes = {"sum", 3},
                      .plain = {{"sum"}},
                      .plain_text = "sum"});

}  // namespace
}  // namespace dpmix::pg
