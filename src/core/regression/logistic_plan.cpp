#include "core/regression/logistic_plan.hpp"

#include <cmath>
#include <numbers>

#include "core/base/poll.hpp"
#include "core/stats/moment_sensitivity.hpp"

namespace dpmix {
namespace {

constexpr double outward = 1 + 0x1p-40;  // for the roundings between proof and doubles

// Shares of mu^2. The last slope tells the coefficients, the last information their errors.
struct Shares {
  double moments;
  std::array<double, LogisticPlan::passes> slope, information;
};
constexpr Shares of_rows{.25, {.12, .15, .30}, {.03, .05, .10}};
// Where the target alone is protected, information does not look at what is.
constexpr Shares of_targets{.10, {.15, .25, .50}, {0, 0, 0}};

}  // namespace

LogisticPlan plan_logistic(const RegressionRequest& request, const MomentFrame& frame) {
  const bool row = request.part == ProtectedPart::row;
  const Shares& shares = row ? of_rows : of_targets;
  const double mu = regression_mu(request);
  const auto part = [&](double share) { return mu * std::sqrt(share) / outward; };
  LogisticPlan plan = {};
  plan.mu = mu;
  plan.moments = plan_moments(request, frame, part(shares.moments));
  plan.moments.own = cost_of_gaussian(request.accounting, mu);
  const auto r = static_cast<double>(frame.resolution);
  const double rows = request.rows_per_unit;  // as far as one row moves sums, each of these
  for (std::size_t t = 0; t < LogisticPlan::passes; ++t) {
    LogisticNoise& noise = plan.pass[t];
    // Residuals of a target are at most one apart, so slopes at most |q|.
    const double slope = row ? moment_sensitivity(request.adjacency, 0, 1, 0, r) : r;
    noise.slope = rows * slope / part(shares.slope[t]) * outward;
    if (!row) continue;
    const double products = moment_sensitivity(request.adjacency, 0, 0, 1, r);
    noise.square = rows * products / part(shares.information[t]) * outward;
    noise.product = noise.square / std::numbers::sqrt2 * outward;  // stands twice in the norm
  }
  return plan;
}

Vector noisy_slope(RandomStream& random, const MomentTotals::Class* exact, int features,
                   const LogisticNoise& noise) {
  Vector slope(features);
  for (int i = 0; i < features; ++i) {
    const Int128 sum = exact != nullptr ? exact->sums[static_cast<std::size_t>(i)] : 0;
    slope[i] = noisy_sum(random, sum, noise.slope);
  }
  return slope;
}

Matrix noisy_information(RandomStream& random, const MomentTotals::Class* exact, int features,
                         const LogisticNoise& noise) {
  Matrix information(features, features);
  std::size_t at = 0;  // in the upper triangle
  for (int i = 0; i < features; ++i) {
    poll();
    for (int j = i; j < features; ++j, ++at) {
      information(i, j) = information(j, i) =
          noisy_sum(random, exact != nullptr ? exact->products[at] : 0,
                    i == j ? noise.square : noise.product);
    }
  }
  return information;
}

}  // namespace dpmix
