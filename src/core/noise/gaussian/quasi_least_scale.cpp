#include "core/noise/gaussian/quasi_least_scale.hpp"

#include <cmath>

#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/gaussian/quasi_curve.hpp"
#include "core/noise/gaussian/quasi_worst_shift.hpp"

namespace dpmix {
namespace {

// log of the largest delta seen over the one asked for: positive means too little noise.
double seen_excess(double scale, double epsilon, double delta) {
  const ShiftPeak peak = look_for_quasi_peak({scale, epsilon}, epsilon, 1e-5 * delta);
  return std::log(std::fmax(peak.delta, 1e-4 * delta) / delta);
}

}  // namespace

// The search is heuristic and proves nothing; cover_quasi_shifts does.
LeastQuasi least_quasi(double epsilon, double delta) {
  constexpr double kStep = 1.2, kPrecision = 2e-4;
  const auto excess = [&](double log_scale) {
    return seen_excess(std::exp(log_scale), epsilon, delta);
  };
  // A scale that seems enough, and one just below that is not.
  double high = std::log(1.05 / gdp_mu(epsilon, delta));
  double at_high = excess(high);
  while (at_high > 0) at_high = excess(high += std::log(kStep));
  double low = high - std::log(kStep), at_low = excess(low);
  while (at_low <= 0) {
    high = low;
    at_high = at_low;
    at_low = excess(low -= std::log(kStep));
  }
  // Regula falsi, halving the value of an end that stays (Illinois).
  while (high - low > kPrecision) {
    double middle = low + (high - low) * at_low / (at_low - at_high);
    middle = std::fmin(std::fmax(middle, low + kPrecision / 4), high - kPrecision / 4);
    const double at_middle = excess(middle);
    if (at_middle > 0) {
      low = middle;
      at_low = at_middle;
      at_high /= 2;
    } else {
      high = middle;
      at_high = at_middle;
      at_low /= 2;
    }
  }
  // What has been seen may not be all: the certificate decides, and closes in from both sides.
  const auto certified = [&](double log_scale) -> std::optional<LeastQuasi> {
    const QuasiGaussian law{std::exp(log_scale), epsilon};
    if (const auto bound = quasi_certificate(law, epsilon, delta)) return LeastQuasi{law, *bound};
    return std::nullopt;
  };
  std::optional<LeastQuasi> least;
  for (double growth = kPrecision / 2; !(least = certified(high)); growth *= 2) {
    low = high;
    high += growth;
  }
  while (high - low > 3 * kPrecision) {
    const double middle = low + 0.5 * (high - low);
    const auto better = certified(middle);
    if (better) least = better;
    (better ? high : low) = middle;
  }
  return *least;
}

}  // namespace dpmix
