#include "core/accounting/renyi_of_subsampled_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/accounting/renyi_profile.hpp"
#include "core/base/outward.hpp"
#include "core/base/refuse_parameter.hpp"

// The moment A = E[(1 - q + q e^{mu x - mu^2/2})^alpha], x ~ N(0,1), from above. The other
// direction of the divergence is never larger. Proof: docs/proofs/subsampled_gaussian.md.
namespace dpmix {
namespace {

using std::numbers::pi_v;

// The trapezoidal rule and its window may each be wrong by about e^-kAccuracy.
constexpr long double kAccuracy = 80;
// Sums of at most so many nodes; they take about 2 ms.
constexpr long double kMostNodes = 4096;

struct Pair {
  long double alpha, rate, mu;

  // log of the moment of the whole Gaussian, alpha (alpha-1) mu^2/2
  long double whole() const { return alpha * (alpha - 1) * mu * mu / 2; }
};

// One node's share of A - 1, without the factor 1/sqrt(2 pi), and what it may be wrong by in units
// of outward::kUnit.
struct Node {
  long double value, error;
};

// phi(x) (r^alpha - 1 - alpha (r-1)), r = 1 - q + q e^z: E[r] = 1, so the linear part integrates to
// nothing, and what is left is never negative and of the size of A - 1.
Node node(const Pair& pair, long double x) {
  const long double z = pair.mu * (x - pair.mu / 2), half_square = x * x / 2;
  const long double shift = pair.rate * std::expm1(z);  // r - 1
  const long double power = pair.alpha * std::log1p(shift);
  const long double condition = 1 + std::max(z, 0.0L);
  if (power <= 1) {
    const long double weight = std::exp(-half_square);
    return {weight * (std::expm1(power) - pair.alpha * shift),
            64 * weight * pair.alpha * std::abs(shift) * (condition + x * x)};
  }
  const long double large = std::exp(power - half_square);
  const long double linear = std::exp(std::log1p(pair.alpha * shift) - half_square);
  return {large - linear, 64 * large * (condition * (1 + power) + x * x)};
}

// A - 1 by the trapezoidal rule, rounded up; infinity where that takes too many nodes or leaves
// the range of a long double.
long double excess_by_quadrature(const Pair& pair) {
  constexpr long double none = std::numeric_limits<long double>::infinity();
  // The integrand is analytic where |Im x| < pi/mu.
  const long double strip = std::min(std::sqrt(2 * kAccuracy), pi_v<long double> * .999L / pair.mu);
  // Steps of few bits make every node an exact number.
  const long double step =
      std::floor(1024 * 2 * pi_v<long double> * strip / (kAccuracy + strip * strip / 2)) / 1024;
  const long double low = -std::sqrt(2 * kAccuracy);
  const long double high = pair.alpha * pair.mu + std::sqrt(2 * (kAccuracy + pair.whole()));
  if (!(high - low < kMostNodes * step)) return none;
  const int first = static_cast<int>(std::floor(low / step));
  const int last = static_cast<int>(std::ceil(high / step));
  long double sum = 0, error = 0;
  for (int j = first; j <= last; ++j) {
    const Node part = node(pair, j * step);
    if (!std::isfinite(part.value)) return none;
    sum += part.value;
    error += part.error;
  }
  const long double excess =
      (sum + outward::kUnit * error) * step / std::sqrt(2 * pi_v<long double>);
  const long double outside = 8 * (1 + pair.alpha) * std::exp(-kAccuracy);
  const long double bound = excess * (1 + 10 * outward::kMargin) + outside;
  return std::isfinite(bound) ? bound : none;
}

// log A from above by the convexity of r^alpha in r: A <= 1 - q + q e^whole.
long double log_moment_by_convexity(const Pair& pair) {
  const long double whole = pair.whole();
  const long double log_moment =
      whole < 600 ? std::log1p(pair.rate * std::expm1(whole))
                  : whole + std::log(pair.rate + (1 - pair.rate) * std::exp(-whole)) +
                        whole * outward::kMargin;
  return log_moment * (1 + outward::kMargin);
}

}  // namespace

Cost renyi_of_subsampled_gaussian(double order, double rate, double mu) {
  check_parameter(rate > 0 && rate <= 1, "sampling rate", rate, "above 0, up to 1");
  Cost whole = renyi_of_gaussian(order, mu);
  if (rate == 1 || mu == 0) return whole;
  const Pair pair{order, rate, mu};
  long double log_moment = log_moment_by_convexity(pair);
  const long double excess = excess_by_quadrature(pair);
  log_moment = std::min(log_moment, std::log1p(excess));
  whole.amount = std::min(whole.amount, outward::up(log_moment / (pair.alpha - 1)));
  return whole;
}

}  // namespace dpmix
