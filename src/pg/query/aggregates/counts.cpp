#include "pg/query/aggregates/counts.hpp"

#include "core/query/answers.hpp"

namespace dpmix::pg {

Datum counted(const NoisyAnswer& noisy) {
  return Int64GetDatum(count_answer(noisy.number(noisy.parts.count)));
}

NoiseInterval counted_interval(const NoisyAnswer& noisy, const EndReach& reach) {
  return count_interval(noisy.number(noisy.parts.count), reach.count);
}

std::optional<RatioForm> counted_form(const AnswerSource& source) {
  return RatioForm{one_statistic(source.parts.count, 1), {1}};
}

}  // namespace dpmix::pg
