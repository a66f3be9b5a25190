#include "core/release/aggregates.hpp"

#include <algorithm>
#include <limits>

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

}  // namespace dpmix
