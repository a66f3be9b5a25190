#include "core/accounting/renyi_profile.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/outward.hpp"
#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

// The exponent above which e^y is close to the largest double, where long double is no wider.
constexpr long double kLargeExponent = 600;

void check_order(double order) {
  check_parameter(order > 1 && std::isfinite(order), "Renyi order", order, "finite and above 1");
}

// log(alpha/(alpha-1)) + (log delta + log alpha)/(alpha-1), by which a budget epsilon falls short
// of (or exceeds) its rho, and what the computed number may be wrong by.
struct Conversion {
  long double offset, error;
};

Conversion conversion(double order, double delta) {
  check_order(order);
  check_parameter(delta > 0 && delta < 1, "delta", delta, "between 0 and 1, both excluded");
  const long double above_one = order - 1.0L;
  const long double spread = std::log1p(1 / above_one);
  const long double log_delta = std::log(static_cast<long double>(delta));
  const long double log_order = std::log(static_cast<long double>(order));
  return {spread + (log_delta + log_order) / above_one,
          outward::kMargin * (spread + (log_order - log_delta) / above_one)};
}

double randomised_response(double order, double epsilon) {
  if (epsilon == 0) return 0;
  const long double above_one = order - 1.0L, y = above_one * epsilon;
  const long double odds = 1 + std::exp(-static_cast<long double>(epsilon));
  if (y > kLargeExponent) return outward::up((y - std::log(odds)) / above_one);
  const long double excess =
      std::expm1(y) * -std::expm1(-static_cast<long double>(order) * epsilon) / odds;
  return outward::up(std::log1p(excess) / above_one);
}

// sinh(x)/x - 1 and x coth(x) - 1, for x >= 0 without cancellation.
struct Excess {
  long double sinh, coth;
};

Excess excess(long double x) {
  if (x > 1) return {std::sinh(x) / x - 1, x / std::tanh(x) - 1};
  constexpr int kTerms = 12;
  long double term = 1, sinh = 0, slope = 0;  // of x^2k / (2k + 1)!, and 2k times that
  for (int k = 1; k <= kTerms; ++k) {
    term *= x * x / (2 * k * (2 * k + 1));
    sinh += term;
    slope += 2 * k * term;
  }
  return {sinh, slope / (1 + sinh)};
}

// log(sinh(x + d)/(x + d)) - log(sinh(x)/x), x and d >= 0 and not both 0, from positive terms.
long double rise_of_log_sinh(long double x, long double d) {
  const long double coth = excess(x).coth;
  if (d > kLargeExponent) return d + std::log((x + 1 + coth) / (2 * (x + d)));
  const long double half = std::sinh(d / 2);
  const long double rise = 2 * x * half * half + d * excess(d).sinh + coth * std::sinh(d);
  return std::log1p(rise / (x + d));
}

}  // namespace

Cost renyi_of_guarantee(double order, double epsilon, double delta) {
  check_order(order);
  check_parameter(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "0 or more");
  check_parameter(delta >= 0 && delta <= 1, "delta", delta, "0 to 1");
  return {randomised_response(order, epsilon), delta};
}

Cost renyi_of_gaussian(double order, double mu) {
  check_order(order);
  check_parameter(mu >= 0, "mu", mu, "0 or more");
  if (mu == 0) return {};
  return {outward::up(static_cast<long double>(order) * mu * mu / 2), 0};
}

Cost renyi_of_geometric(double order, double epsilon, double steps) {
  check_parameter(steps >= 1 && std::isfinite(steps), "number of lattice steps", steps,
                  "1 or more");
  const Cost any = renyi_of_guarantee(order, epsilon, 0);
  if (steps == 1 || epsilon == 0) return any;
  // S = w e^{(alpha-1) epsilon} + v e^{-alpha epsilon}, w + v = 1.
  const long double alpha = order, above_one = alpha - 1, step = epsilon / (long double){steps};
  const long double common = -std::expm1(-(alpha + above_one) * step) * (1 + std::exp(-step));
  const long double w = -std::expm1(-2 * alpha * step) / common;
  const long double v = std::exp(-step) * -std::expm1(-2 * above_one * step) / common;
  const long double y = above_one * epsilon;
  double rho = 0;
  if (y > kLargeExponent) {
    rho = outward::up((y + std::log(w)) / above_one);
  } else {
    const long double gain = w * std::expm1(y), loss = v * -std::expm1(-alpha * epsilon);
    const long double error = outward::kUnit * (16 + 4 * y) * (gain + loss);
    rho = outward::up(std::log1p(gain - loss + error) / above_one);
  }
  return {std::min(rho, any.amount), 0};
}

Cost renyi_of_bounded_range(double order, double epsilon) {
  check_order(order);
  check_parameter(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "0 or more");
  if (epsilon == 0) return {};
  const long double above_one = order - 1.0L, half = epsilon / 2.0L, rest = above_one * half;
  return {outward::up(rise_of_log_sinh(rest, half) + rise_of_log_sinh(half, rest) / above_one), 0};
}

double epsilon_of_renyi(double order, double rho, double delta) {
  check_parameter(rho >= 0, "rho", rho, "0 or more");
  const auto [offset, error] = conversion(order, delta);
  return std::max(0.0, outward::up(rho - offset, error + outward::kMargin * rho));
}

double renyi_of_budget(double order, double epsilon, double delta) {
  check_parameter(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "0 or more");
  const auto [offset, error] = conversion(order, delta);
  return std::max(0.0, outward::down(epsilon + offset, error + outward::kMargin * epsilon));
}

}  // namespace dpmix
