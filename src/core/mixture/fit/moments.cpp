#include "core/mixture/fit/moments.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.hpp"
#include "core/base/poll.hpp"
#include "core/random/rounded_normal.hpp"
#include "core/stats/moment_sensitivity.hpp"

namespace dpmix {
namespace {

// Shares of count, sum and products in a row's squared norm. The moments of a class are centred by
// its own noisy mean, and classes are small in the box: so more goes to the products than the
// KL-optimal split of whitened classes gives. Tuned once, on simulated tables.
constexpr double count_share = .05, sum_share = .25, product_share = .7;

// Slack for the roundings between the real numbers of the proof and the doubles below.
constexpr double outward = 1 + 0x1p-40;

// Per lattice step, for rows with sum q_i^2 <= R^2.
struct Weights {
  double count, sum, square;
};

// In a diagonal frame made from the box, |q_i| <= R / sqrt(d), so sum q_i^4 <= R^4 / d.
double largest_square(const GmmPlan& plan) {
  const double r = static_cast<double>(plan.frame.resolution);
  return plan.shape == CovarianceShape::full ? r * r : r * r / std::sqrt(plan.frame.features);
}

Weights weights_of(const GmmPlan& plan) {
  return {std::sqrt(count_share), std::sqrt(sum_share) / static_cast<double>(plan.frame.resolution),
          std::sqrt(product_share) / largest_square(plan)};
}

double sensitivity_of(const GmmPlan& plan, const Weights& w, Adjacency adjacency) {
  const double r = static_cast<double>(plan.frame.resolution);
  if (plan.shape == CovarianceShape::full) {
    return moment_sensitivity(adjacency, w.count, w.sum, w.square, r);
  }
  const double linear = w.sum * r, square = w.square * largest_square(plan);
  const double row = w.count * w.count + linear * linear + square * square;
  if (adjacency == Adjacency::add_remove) return std::sqrt(row) * outward;
  // Across classes twice a row; within one, at most 4 |linear|^2 + |square|^2.
  return std::sqrt(std::max(2 * row, 4 * linear * linear + square * square)) * outward;
}

}  // namespace

std::optional<CovarianceShape> covariance_shape_of(std::string_view name) {
  if (name == "full") return CovarianceShape::full;
  if (name == "diagonal") return CovarianceShape::diagonal;
  return std::nullopt;
}

MomentNoise GmmPlan::box_noise() const {
  const double s = step(), s2 = s * s;
  return {noise.count, noise.sum * s, noise.square * s2, noise.product * s2};
}

GmmPlan plan_gmm(const std::vector<double>& lower, const std::vector<double>& upper, int classes,
                 CovarianceShape shape, Adjacency adjacency, double mu) {
  if (adjacency == Adjacency::label) {
    throw Error(ErrorCode::invalid_parameter, "one-shot mixtures protect whole rows",
                "The table's neighbours differ in one label.", "Use method label_only.");
  }
  GmmPlan plan{shape, box_frame(lower, upper, classes), {}};
  const Weights w = weights_of(plan);
  const double sigma = sensitivity_of(plan, w, adjacency) / mu * outward;
  // An off-diagonal product stands twice in the Frobenius norm, so it needs sqrt 2 less noise.
  plan.noise = {sigma / w.count, sigma / w.sum, sigma / w.square,
                shape == CovarianceShape::full ? sigma / w.square / std::sqrt(2) * outward : 0};
  return plan;
}

MomentFrame box_frame(const std::vector<double>& lower, const std::vector<double>& upper,
                      int classes) {
  MomentFrame frame;
  const std::size_t d = lower.size();
  if (classes * static_cast<double>(d * (d + 1) / 2) > MomentFrame::max_products) {
    throw Error(ErrorCode::invalid_parameter, "the mixture is too large",
                std::to_string(classes) + " components of " + std::to_string(d) +
                    " features need more than 2^20 second moments.",
                "Name fewer features, or a label with fewer categories.");
  }
  frame.features = static_cast<int>(d);
  frame.diagonal = true;
  frame.lower = lower;
  frame.upper = upper;
  MomentFrame::Class box;
  box.radius = std::sqrt(static_cast<double>(d));
  for (std::size_t i = 0; i < d; ++i) {
    const double centre = lower[i] / 2 + upper[i] / 2;
    const double half_width = std::max(upper[i] - centre, centre - lower[i]);
    if (!(half_width >= 1e-120 && half_width <= 1e120)) {
      throw Error(ErrorCode::invalid_parameter, "bounds unfit for a mixture",
                  "Feature " + std::to_string(i + 1) + " has bounds closer than 1e-120 or " +
                      "farther apart than 1e120.",
                  "Ask the owner for bounds of the feature's real range.");
    }
    box.centre.push_back(centre);
    box.whitening.push_back(1 / half_width);
  }
  frame.classes.assign(static_cast<std::size_t>(classes), box);
  frame.check();
  return frame;
}

NoisyMoments exact_moments(const MomentTotals::Class* exact, int features, double step) {
  const auto d = static_cast<std::size_t>(features);
  NoisyMoments out{0, std::vector<double>(d), std::vector<double>(d * d)};
  if (exact == nullptr) return out;
  out.count = static_cast<double>(exact->count);
  std::size_t at = 0;  // in the upper triangle
  for (std::size_t i = 0; i < d; ++i) {
    out.sums[i] = to_double(exact->sums[i]) * step;
    for (std::size_t j = i; j < d; ++j, ++at) {
      out.products[i * d + j] = out.products[j * d + i] =
          to_double(exact->products[at]) * (step * step);
    }
  }
  return out;
}

NoisyMoments add_noise(RandomStream& random, const MomentTotals::Class* exact, int features,
                       const MomentNoise& noise, double step) {
  const auto d = static_cast<std::size_t>(features);
  const auto sampler = [](double deviation) {
    return deviation > 0 ? std::optional<RoundedNormal>(deviation) : std::nullopt;
  };
  const auto sum = sampler(noise.sum), square = sampler(noise.square),
             product = sampler(noise.product);
  const auto released = [&](Int128 value, const RoundedNormal& law, double unit) {
    return to_double(value + law(random)) * unit;
  };
  NoisyMoments out;
  out.count = released(exact != nullptr ? exact->count : 0, RoundedNormal(noise.count), 1);
  out.products.assign(d * d, 0);
  std::size_t at = 0;  // in the upper triangle
  for (std::size_t i = 0; i < d; ++i) {
    poll();
    out.sums.push_back(released(exact != nullptr ? exact->sums[i] : 0, *sum, step));
    for (std::size_t j = i; j < d; ++j, ++at) {
      const auto& law = i == j ? square : product;
      if (!law) continue;
      out.products[i * d + j] = out.products[j * d + i] =
          released(exact != nullptr ? exact->products[at] : 0, *law, step * step);
    }
  }
  return out;
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
