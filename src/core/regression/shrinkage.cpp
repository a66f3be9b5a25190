#include "core/regression/shrinkage.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"

namespace dpmix {
namespace {

// Mean squared effects, of z and y in [-1, 1]: as likely in each of these steps; and, as likely as
// all of them together, none.
constexpr int sizes = 46;
constexpr double least_size = 1e-6, size_factor = 1.5848931924611136;  // up to 1e3
// How many times that a direction's may be, and how likely each is: a half-Cauchy law of its root.
constexpr int shares = 13;
constexpr double least_share = 1. / 64;

struct Share {
  double of_size, weight;
};

std::array<Share, shares> make_shares() {
  std::array<Share, shares> all;
  double total = 0;
  for (int i = 0; i < shares; ++i) {
    const double share = least_share * std::pow(2., i);
    all[static_cast<std::size_t>(i)] = {share, std::sqrt(share) / (1 + share)};
    total += all[static_cast<std::size_t>(i)].weight;
  }
  for (Share& share : all) share.weight /= total;
  return all;
}

// What is left of sums about means, along the eigenvectors of the terms' matrix.
struct Directions {
  Vector square, product;  // noisy sums of z'^2 and of z' y
  Vector widened;          // of the noise's variance, by that of the sums of z
  Matrix vectors;
  Vector means;
  double mean;  // of y
};

Directions directions_of(const Matrix& gram, const RegressionPlan& plan) {
  const Eigen::Index q = gram.rows() - 2;
  // Fewer rows than the noise of their number leave nothing to be drawn to.
  const double rows = std::max({gram(0, 0), 2 * plan.noise.square, 1.});
  const Vector sums = gram.col(0).segment(1, q);
  Directions d;
  d.means = (sums / rows).cwiseMax(-1).cwiseMin(1);
  d.mean = std::clamp(gram(0, q + 1) / rows, -1., 1.);
  const Spectrum spectrum =
      spectrum_of(gram.block(1, 1, q, q) - rows * d.means * d.means.transpose());
  d.vectors = spectrum.vectors;
  d.square = spectrum.values.cwiseMax(0);
  d.product = d.vectors.transpose() * (gram.col(q + 1).segment(1, q) - rows * d.mean * d.means);
  d.widened = 1 + (d.vectors.transpose() * d.means).array().square();
  return d;
}

// Of one direction, given the size of effects: how likely its product is, and the posterior's mean
// over the product.
struct Posterior {
  double log_density, gain;
};

Posterior posterior(double square, double product, double noise, double size,
                    const std::array<Share, shares>& prior) {
  std::array<double, shares> log;
  double most = -INFINITY;
  for (std::size_t i = 0; i < shares; ++i) {
    const double variance = noise + size * prior[i].of_size * square * square;
    log[i] = std::log(prior[i].weight) - .5 * (std::log(variance) + product * product / variance);
    most = std::max(most, log[i]);
  }
  double total = 0, gain = 0;
  for (std::size_t i = 0; i < shares; ++i) {
    const double weight = std::exp(log[i] - most), effect = size * prior[i].of_size * square;
    total += weight;
    gain += weight * effect / (noise + effect * square);
  }
  return {most + std::log(total), gain / total};
}

}  // namespace

ShrunkFit shrunk_fit(const Matrix& gram, const RegressionPlan& plan) {
  static const std::array<Share, shares> prior = make_shares();
  const Directions d = directions_of(gram, plan);
  const Eigen::Index q = d.square.size();
  const bool target = plan.part == ProtectedPart::target;
  // The noise of a product, and that of the terms' matrix times coefficients.
  const double product = target ? plan.noise.target_product : plan.noise.product;
  const double of_terms = target ? 0 : 1;
  const double intercept = of_terms * (1 + d.mean * d.mean) + (1 - of_terms);
  Matrix gains(q, sizes + 1);
  Vector log_density = Vector::Zero(sizes + 1);
  log_density[0] = std::log(static_cast<double>(sizes));
  for (int t = 0; t <= sizes; ++t) {
    poll();
    const double size = t == 0 ? 0 : least_size * std::pow(size_factor, t - 1);
    const double noise =
        product * product * (intercept + of_terms * static_cast<double>(q + 1) * size);
    for (Eigen::Index i = 0; i < q; ++i) {
      const Posterior of = posterior(d.square[i], d.product[i], noise * d.widened[i], size, prior);
      log_density[t] += of.log_density;
      gains(i, t) = of.gain;
    }
  }
  const Vector weights = (log_density.array() - log_density.maxCoeff()).exp();
  const Vector gain = gains * (weights / weights.sum());
  const Vector along = gain.cwiseProduct(d.product);
  ShrunkFit fit;
  fit.coefficients.resize(q + 1);
  fit.coefficients.tail(q) = d.vectors * along;
  fit.coefficients[0] = d.mean - d.means.dot(fit.coefficients.tail(q));
  fit.followed =
      2 * product * product * gain.dot(d.widened) * (1 + of_terms * fit.coefficients.squaredNorm());
  return fit;
}

}  // namespace dpmix
