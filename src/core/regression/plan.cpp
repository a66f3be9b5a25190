#include "core/regression/plan.hpp"

#include <cmath>

#include "core/accounting/decimal.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/mixture/fit/moment_noise.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/random/noisy.hpp"
#include "core/random/rounded_normal.hpp"

namespace dpmix {
namespace {

constexpr double outward = 1 + 0x1p-40;  // for the roundings between proof and doubles
// The share of mu^2 for the sum of y^2, which tells the residual's variance alone. The rest is for
// y's products, which tell the coefficients.
constexpr double target_square_share = .05;

// A unit's rows together move sums by no more than so many times what one of them can.
double mu_of_a_row(const RegressionPlan& plan) {
  return plan.mu / plan.rows_per_unit;
}

void plan_row(const RegressionRequest& request, double resolution, RegressionPlan* plan) {
  // |(1, z, y)|^4 = 1 + 2 |(z, y)|^2 + |(z, y)|^4: the count, sums and products, weighted so.
  const double s = plan->step;
  plan->lattice = moment_noise(request.adjacency, CovarianceShape::full, mu_of_a_row(*plan), 1,
                               std::sqrt(2.) * s, s * s, resolution);
  plan->lattice_target_square = plan->lattice.square;
  plan->lattice_target_sum = plan->lattice.sum;
  plan->lattice_target_product = plan->lattice.product;
}

// Two targets of one row: its (1, z) times at most 2, and y^2 within [0, 1].
void plan_target(const RegressionRequest& request, RegressionPlan* plan) {
  const double s = plan->step;
  const double mu = mu_of_a_row(*plan);
  const double product =
      2 * std::sqrt(1 + request.norm2) / (mu * std::sqrt(1 - target_square_share)) * outward;
  const double square = 1 / (mu * std::sqrt(target_square_share)) * outward;
  plan->lattice = {};
  plan->lattice_target_square = square / (s * s) * outward;
  plan->lattice_target_sum = product / s * outward;
  plan->lattice_target_product = product / (s * s) * outward;
}

}  // namespace

double noisy_sum(RandomStream& random, Int128 exact, double deviation) {
  if (deviation > 0) exact = noisy(random, RoundedNormal(deviation), exact);
  return to_double(exact);
}

double regression_mu(const RegressionRequest& request) {
  check_epsilon_delta(request.epsilon, request.delta);
  check_parameter(request.delta >= kLeastDelta, "delta", request.delta, "at least 1e-300");
  check_parameter(request.rows_per_unit >= 1, "rows", request.rows_per_unit, "at least 1");
  return gdp_mu(Decimal::printed(request.epsilon).lower_double(),
                Decimal::printed(request.delta).lower_double());
}

RegressionPlan plan_regression(const RegressionRequest& request, const MomentFrame& frame) {
  return plan_moments(request, frame, regression_mu(request));
}

RegressionPlan plan_moments(const RegressionRequest& request, const MomentFrame& frame, double mu) {
  RegressionPlan plan = {};
  plan.part = request.part;
  plan.rows_per_unit = request.rows_per_unit;
  plan.mu = mu;
  plan.step = frame.step(0);
  plan.own = cost_of_gaussian(request.accounting, plan.mu);
  if (request.part == ProtectedPart::row) {
    plan_row(request, static_cast<double>(frame.resolution), &plan);
  } else {
    plan_target(request, &plan);
  }
  const double s2 = plan.step * plan.step;
  plan.noise = {plan.lattice.square * s2, plan.lattice.product * s2,
                plan.lattice_target_square * s2, plan.lattice_target_product * s2};
  return plan;
}

Matrix noisy_gram(RandomStream& random, const MomentTotals::Class* exact, int features,
                  const RegressionPlan& plan) {
  const int y = features;  // the target's row and column
  const double s = plan.step;
  Matrix gram(features + 1, features + 1);
  gram(0, 0) = noisy_sum(random, exact != nullptr ? exact->count : 0, plan.lattice.count);
  std::size_t at = 0;  // in the upper triangle
  for (int i = 1; i <= features; ++i) {
    poll();
    const auto n = static_cast<std::size_t>(i) - 1;
    gram(0, i) = gram(i, 0) = s * noisy_sum(random, exact != nullptr ? exact->sums[n] : 0,
                                            i == y ? plan.lattice_target_sum : plan.lattice.sum);
    for (int j = i; j <= features; ++j, ++at) {
      const double deviation = i == y   ? plan.lattice_target_square
                               : j == y ? plan.lattice_target_product
                               : i == j ? plan.lattice.square
                                        : plan.lattice.product;
      gram(i, j) = gram(j, i) =
          s * s * noisy_sum(random, exact != nullptr ? exact->products[at] : 0, deviation);
    }
  }
  return gram;
}

}  // namespace dpmix
