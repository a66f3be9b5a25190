#include "core/counter/factorisation.hpp"

#include <cmath>
#include <numeric>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {

CounterFactorisation::CounterFactorisation(int steps) {
  check_parameter(steps >= 1 && steps <= kMostCounterSteps, "steps", steps, "1 to 10000");
  const auto count = static_cast<std::size_t>(steps);
  weight_.reserve(count);
  double exact = 1;  // 1, 1/2, 3/8, ...
  for (int k = 0; k < steps; ++k) {
    if (k > 0) exact *= (2. * k - 1) / (2. * k);
    weight_.push_back(std::llround(kCounterUnits * exact));
    const double weight = static_cast<double>(weight_.back()) / kCounterUnits;
    life_ += weight * weight;
  }
  // The inverse of a lower-triangular Toeplitz matrix is one; its first column, and then its sums.
  sums_.assign(count, 0);
  sums_[0] = 1;  // weight_[0] is one unit
  for (std::size_t n = 1; n < count; ++n) {
    double lacking = 0;
    for (std::size_t k = 1; k <= n; ++k) {
      lacking -= static_cast<double>(weight_[k]) / kCounterUnits * sums_[n - k];
    }
    sums_[n] = lacking;
  }
  std::partial_sum(sums_.begin(), sums_.end(), sums_.begin());
}

double CounterFactorisation::life_from(int age) const {
  double left = 0;
  for (int k = age; k < steps(); ++k) {
    const double weight = static_cast<double>(weight_[static_cast<std::size_t>(k)]) / kCounterUnits;
    left += weight * weight;
  }
  return left;
}

double CounterFactorisation::multiplier(int from, int to, int step) const {
  const double in_all = sums_[static_cast<std::size_t>(to - step)];
  return step > from ? in_all : in_all - sums_[static_cast<std::size_t>(from - step)];
}

double CounterFactorisation::estimate(std::span<const double> measured, int from, int to) const {
  double total = 0;
  for (int step = 1; step <= to; ++step) {
    total += multiplier(from, to, step) * measured[static_cast<std::size_t>(step - 1)];
  }
  return total;
}

double CounterFactorisation::variance(int from, int to) const {
  double variance = 0;
  for (int step = 1; step <= to; ++step) {
    const double factor = multiplier(from, to, step);
    variance += factor * factor;
  }
  return variance;
}

double CounterFactorisation::reach_95(int from, int to, double deviation) const {
  constexpr double kNormal = 1.9599639845400546;  // of 97.5%, rounded up
  double rounding = 0;                            // by half a step each
  for (int step = 1; step <= to; ++step) rounding += std::abs(multiplier(from, to, step)) / 2;
  return kNormal * deviation * std::sqrt(variance(from, to)) + rounding;
}

}  // namespace dpmix
