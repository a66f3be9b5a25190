#include "core/mixture/fit/one_shot_plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/refuse_parameter.hpp"
#include "core/stats/moment_sensitivity.hpp"

namespace dpmix {
namespace {

// Shares of count, sum and products in a row's squared norm. The moments of a class are centred by
// its own noisy mean, and classes are small in the box: so more goes to the products than the
// KL-optimal split of whitened classes gives. Tuned once, on simulated tables.
constexpr double count_share = .05, sum_share = .25, product_share = .7;

// Slack for the roundings between the real numbers of the proof and the doubles below.
constexpr double outward = 1 + 0x1p-40;

// The weights per lattice step, for rows with sum q_i^2 <= R^2.
struct Weights {
  double count, sum, square;
};

// The largest norm of a row's q q^T. In a diagonal frame made from the box only its diagonal
// counts, and |q_i| <= R / sqrt(d), so sum q_i^4 <= R^4 / d.
double largest_square(const GmmPlan& plan) {
  const double r = static_cast<double>(plan.frame.resolution);
  return plan.shape != CovarianceShape::diagonal ? r * r : r * r / std::sqrt(plan.frame.features);
}

Weights weights_of(const GmmPlan& plan) {
  return {std::sqrt(count_share), std::sqrt(sum_share) / static_cast<double>(plan.frame.resolution),
          std::sqrt(product_share) / largest_square(plan)};
}

double sensitivity_of(const GmmPlan& plan, const Weights& w, Adjacency adjacency) {
  const double r = static_cast<double>(plan.frame.resolution);
  if (plan.shape != CovarianceShape::diagonal) {
    return moment_sensitivity(adjacency, w.count, w.sum, w.square, r);
  }
  const double linear = w.sum * r, square = w.square * largest_square(plan);
  const double row = w.count * w.count + linear * linear + square * square;
  if (adjacency == Adjacency::add_remove) return std::sqrt(row) * outward;
  // Across classes twice a row; within one, at most 4 |linear|^2 + |square|^2.
  return std::sqrt(std::max(2 * row, 4 * linear * linear + square * square)) * outward;
}

}  // namespace

MomentNoise GmmPlan::box_noise() const {
  const double s = step(), s2 = s * s;
  return {noise.count, noise.sum * s, noise.square * s2, noise.product * s2};
}

GmmPlan plan_gmm(const std::vector<double>& lower, const std::vector<double>& upper, int classes,
                 CovarianceShape shape, Adjacency adjacency, double mu) {
  if (adjacency == Adjacency::label) {
    refuse_parameter("one-shot mixtures protect whole rows",
                     "The table's neighbours differ in one label.", "Use method label_only.");
  }
  GmmPlan plan{shape, box_frame(lower, upper, classes), {}};
  const Weights w = weights_of(plan);
  const double sigma = sensitivity_of(plan, w, adjacency) / mu * outward;
  // An off-diagonal product stands twice in the Frobenius norm, so it needs sqrt 2 less noise.
  plan.noise = {sigma / w.count, sigma / w.sum, sigma / w.square,
                shape != CovarianceShape::diagonal ? sigma / w.square / std::sqrt(2) * outward : 0};
  return plan;
}

std::vector<NoisyMoments> add_noise(RandomStream& random, const MomentTotals& exact,
                                    const GmmPlan& plan) {
  std::vector<NoisyMoments> noisy;
  for (std::size_t k = 0; k < plan.frame.classes.size(); ++k) {
    noisy.push_back(add_noise(random, exact.classes.empty() ? nullptr : &exact.classes[k],
                              plan.frame.features, plan.noise, plan.step()));
  }
  return noisy;
}

}  // namespace dpmix
