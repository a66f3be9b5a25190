#include "core/accounting/gdp_profile.hpp"

#include <cmath>
#include <numbers>

#include "core/base/next_double.hpp"
#include "core/base/normal_tail.hpp"
#include "core/base/outward.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/gaussian/gdp.hpp"

namespace dpmix {
namespace {

// Lattice steps of more than this each are charged as randomised response: for finer ones a vector
// is proved to cost no more than one coordinate.
constexpr double kCoarseStep = 0.5;

// Ranges that prove more are beyond every epsilon that a release may have.
constexpr double kMostMu = 1e4;

// Up to here the tail is compared by its distance from 1/2, beyond by its logarithm.
constexpr long double kNearHalf = 1;

// Proved: P(N > z) <= e^-v / 2.
bool tail_is_below(double z, long double v) {
  if (v <= kNearHalf) {
    const long double within = std::erf(z / std::numbers::sqrt2_v<long double>);
    return within * (1 - outward::kMargin) >= -std::expm1(-v);
  }
  const double tail = log_upper_tail(z), error = (4 * z * z + 24) * 0x1p-53;
  return -(static_cast<long double>(tail) + error) >= v + std::numbers::ln2_v<long double>;
}

// The z where P(N > z) = e^-v / 2, nearly, by Newton's method from the side that converges.
double about_tail(double v) {
  constexpr int kSteps = 12;
  const double within = -std::expm1(-v);
  double z = v <= kNearHalf ? within * std::sqrt(std::numbers::pi / 2) : std::sqrt(2 * v);
  for (int i = 0; i < kSteps; ++i) {
    if (v <= kNearHalf) {
      z += (within - std::erf(z / std::numbers::sqrt2)) / (2 * normal_density(z));
    } else {
      const double tail = log_upper_tail(z);
      constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
      const double hazard = std::exp(-z * z / 2 - kLogSqrtTwoPi - tail);
      z -= (-tail - std::numbers::ln2 - v) / hazard;
    }
  }
  return z;
}

// The least mu, rounded up, of a point (alpha, alpha) of a trade-off curve, alpha = e^-v / 2.
double mu_of_vertex(long double v) {
  if (v == 0) return 0;
  const double z = about_tail(static_cast<double>(v));
  for (double rise = 0x1p-50;; rise *= 2) {
    const double proved = z * (1 + rise);
    if (tail_is_below(proved, v)) return 2 * proved;
  }
}

long double log_cosh(long double x) {
  if (x > 1) return x - std::numbers::ln2_v<long double> + std::log1p(std::exp(-2 * x));
  const long double half = std::sinh(x / 2);
  return std::log1p(2 * half * half);
}

double search_epsilon(double mu_squared, double delta) {
  const double mu = next_up(std::sqrt(mu_squared));
  const auto proves = [&](double epsilon) { return gdp_delta(epsilon, mu) <= delta; };
  if (mu_squared == 0 || proves(0)) return 0;
  // Halving the same intervals whatever mu is keeps the answer from falling.
  constexpr double kLeast = 1e-12;
  double low = 0, high = 1;
  while (!proves(high)) {
    low = high;
    high *= 2;
    if (std::isinf(high)) return high;
  }
  while (high > kLeast && high - low > kLeast * high) {
    const double middle = low + (high - low) / 2;
    (proves(middle) ? high : low) = middle;
  }
  return high;
}

double search_budget(double epsilon, double delta) {
  const long double mu = gdp_mu(epsilon, delta);
  return outward::down(mu * mu, mu * mu * outward::kMargin);
}

// The last answer is kept: a search takes milliseconds, and sessions ask about one budget, the
// ledger about one balance, as long as it refuses.
template <double (*search)(double, double)>
double remembered(double x, double delta) {
  static thread_local double last_x = -1, last_delta = -1, answer = 0;
  if (x != last_x || delta != last_delta) {
    answer = search(x, delta);  // may throw
    last_x = x;
    last_delta = delta;
  }
  return answer;
}

}  // namespace

Cost gdp_of_gaussian(double mu) {
  check_parameter(mu >= 0, "mu", mu, "0 or more");
  if (mu == 0) return {};
  return {outward::up(static_cast<long double>(mu) * mu), 0};
}

Cost gdp_of_guarantee(double epsilon, double delta) {
  check_parameter(delta >= 0 && delta <= 1, "delta", delta, "0 to 1");
  return {gdp_of_geometric(epsilon).amount, delta};
}

Cost gdp_of_geometric(double epsilon, double steps) {
  check_parameter(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "0 or more");
  check_parameter(steps >= 1 && std::isfinite(steps), "number of lattice steps", steps,
                  "1 or more");
  const long double step = epsilon / (long double){steps};
  const long double coarse = step > kCoarseStep ? epsilon : step;
  const long double v = epsilon / 2.0L + log_cosh(coarse / 2);
  return gdp_of_gaussian(mu_of_vertex(v * (1 + outward::kMargin)));
}

Cost gdp_of_bounded_range(double epsilon) {
  check_parameter(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "0 or more");
  return gdp_of_guarantee(epsilon / 2, 0);
}

double bounded_range_of_gdp(double mu) {
  check_parameter(mu >= 0 && mu <= kMostMu, "mu", mu, "0 to 1e4");
  const double z = mu / 2;
  const double about = z <= 1 ? 4 * std::atanh(std::erf(z / std::numbers::sqrt2))
                              : 2 * (log_upper_tail(-z) - log_upper_tail(z));
  const long double square = static_cast<long double>(mu) * mu;
  const double budget = outward::down(square, square * outward::kUnit);
  for (double fall = 0x1p-50; fall < 1; fall *= 2) {
    const double epsilon = about * (1 - fall);
    if (gdp_of_bounded_range(epsilon).amount <= budget) return epsilon;
  }
  return 0;
}

double epsilon_of_gdp(double mu_squared, double delta) {
  check_parameter(mu_squared >= 0, "mu^2", mu_squared, "0 or more");
  check_parameter(delta > 0 && delta < 1, "delta", delta, "between 0 and 1, both excluded");
  return remembered<search_epsilon>(mu_squared, delta);
}

double gdp_of_budget(double epsilon, double delta) {
  check_parameter(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "0 or more");
  check_parameter(delta > 0 && delta < 1, "delta", delta, "between 0 and 1, both excluded");
  return remembered<search_budget>(epsilon, delta);
}

}  // namespace dpmix
