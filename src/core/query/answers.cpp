#include "core/query/answers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/noise/lattice_moments.hpp"
#include "core/query/integer_range.hpp"

namespace dpmix {

std::int64_t count_answer(Int128 noisy) {
  using Limits = std::numeric_limits<std::int64_t>;
  return static_cast<std::int64_t>(
      std::clamp(noisy, static_cast<Int128>(Limits::min()), static_cast<Int128>(Limits::max())));
}

double sum_answer(const Lattice& anchored, Int128 noisy_sum) {
  return static_cast<double>(noisy_sum) * anchored.step;
}

double mean_answer(const Lattice& centred, double lower, double upper, Int128 noisy_count,
                   Int128 noisy_sum) {
  const double rows = static_cast<double>(std::max<Int128>(noisy_count, 1));
  return std::clamp(centred.value_of(static_cast<double>(noisy_sum) / rows), lower, upper);
}

double noise_reach(const NoiseLaw& law, double level, int parts) {
  check_level(level);
  const double reach = lattice_tail_quantile(law, 1, (1 - level) / parts);
  // Where doubles are too large for half-integers, sums of a centre and a bound were rounded.
  return reach < 0x1p50 ? reach : std::ceil(reach * (1 + 0x1p-48));
}

// Each answer is a non-decreasing function of the exact statistics, roundings included: between the
// answers at the ends of their ranges lie those at all points between.

NoiseInterval count_interval(Int128 noisy, double reach) {
  const IntegerRange count = around(noisy, reach);
  return {static_cast<double>(count_answer(count.low)),
          static_cast<double>(count_answer(count.high))};
}

NoiseInterval sum_interval(const Lattice& anchored, Int128 noisy, double reach) {
  const IntegerRange sum = around(noisy, reach);
  return {sum_answer(anchored, sum.low), sum_answer(anchored, sum.high)};
}

NoiseInterval mean_interval(const Lattice& centred, double lower, double upper, Int128 noisy_count,
                            double count_reach, Int128 noisy_sum, double sum_reach) {
  const IntegerRange count = around(noisy_count, count_reach), sum = around(noisy_sum, sum_reach);
  // A positive sum divided by more rows is less, a negative one more.
  return {mean_answer(centred, lower, upper, sum.low > 0 ? count.high : count.low, sum.low),
          mean_answer(centred, lower, upper, sum.high > 0 ? count.low : count.high, sum.high)};
}

}  // namespace dpmix
