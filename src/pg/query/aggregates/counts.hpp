// What aggregates that are one number of rows have in common.
#pragma once

#include "core/query/ratio_intervals.hpp"
#include "pg/query/answer/end_reach.hpp"
#include "pg/query/answer/noisy_answer.hpp"

namespace dpmix::pg {

Datum counted(const NoisyAnswer& noisy);
NoiseInterval counted_interval(const NoisyAnswer& noisy, const EndReach& reach);
std::optional<RatioForm> counted_form(const AnswerSource& source);

}  // namespace dpmix::pg
