#include "core/query/least_epsilon.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/base/error.hpp"
#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

constexpr double kLevel = .95;

}  // namespace

double rounded_up_epsilon(double epsilon) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.3e", epsilon);
  const double rounded = std::strtod(digits, nullptr);
  if (rounded >= epsilon) return rounded;
  const double step = std::pow(10, std::floor(std::log10(rounded)) - 3);
  std::snprintf(digits, sizeof digits, "%.3e", rounded + step);
  return std::strtod(digits, nullptr);
}

std::optional<double> least_epsilon(const QueryRequest& largest, const Filter& filter,
                                    std::span<const StatisticShift> statistics,
                                    std::size_t statistic, double half_width,
                                    Calibrator calibrate) {
  const auto keeps = [&](double epsilon) {
    QueryRequest request = largest;
    request.epsilon = epsilon;
    std::vector<StatisticNoise> noise(statistics.size());
    (void)plan_query(request, filter, statistics, noise, calibrate);
    return lattice_quantile(noise[statistic].law, 1, kLevel) <= half_width;
  };
  // Shares of a small epsilon may be too small to calibrate: then it is not enough.
  const auto enough = [&](double epsilon) {
    try {
      return keeps(epsilon);
    } catch (const Error& error) {
      if (error.code != ErrorCode::invalid_parameter) throw;
      return false;
    }
  };
  // Even the largest may be too small to calibrate: that is the caller's error.
  (void)keeps(largest.epsilon);
  const double found = least_epsilon_by(largest.epsilon, enough);
  return found > 0 ? std::optional(found) : std::nullopt;
}

}  // namespace dpmix
