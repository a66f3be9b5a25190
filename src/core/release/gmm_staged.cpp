#include "core/release/gmm_staged.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/poll.hpp"
#include "core/random/rounded_normal.hpp"
#include "core/release/gmm_clip.hpp"
#include "core/release/gmm_place.hpp"
#include "core/release/gmm_pool.hpp"
#include "core/stats/moment_sensitivity.hpp"

namespace dpmix {
namespace {

// Of mu^2. Chosen on simulated tables.
constexpr std::array<double, StagedGmm::stages> kShares = {.1, .08, .1, .12, .2, .4};
constexpr double outward = 1 + 0x1p-40;  // for the roundings between proof and doubles
constexpr int kBins = 19;
constexpr double kInnerEdge = 2e-3;     // of the box's half width
constexpr double kWidthQuantile = .6;   // of the distances: what sets the scale of a class
constexpr double kFirstShare = .8;      // of a normal class lies inside the first ball
constexpr double kPriorVariance = .25;  // of a covariance's entry, carried to the next stage
constexpr double kWiden = .5;           // of the noise, when a frame is made of a noisy covariance
constexpr double kFloor = .25;          // of the noise: below it a variance is not told from none
constexpr double kLargest = 4, kLeast = 1e-3;  // variances in a frame made to be about 1

double square(double x) {
  return x * x;
}

// Where a bin of distances ends, in the box; the last at its diagonal.
double bin_end(int features, int bin) {
  const double outer = 2 * std::sqrt(features);
  return kInnerEdge * std::pow(outer / kInnerEdge, bin / (kBins - 1.));
}

}  // namespace

StagedGmm::StagedGmm(const GmmRequest& request)
    : features_(static_cast<int>(request.lower.size())),
      shape_(request.shape),
      adjacency_(request.adjacency),
      mu_(request.mu),
      box_(box_frame(request.lower, request.upper, request.classes)),
      classes_(static_cast<std::size_t>(request.classes)) {
  for (Class& c : classes_) {
    c.centre = Vector::Zero(features_);
    c.axes = Matrix::Identity(features_, features_);
  }
  look_from_box();
  // Later stages only add to what the first says of the counts.
  count_stddev_ = noise_.front().count;
}

void StagedGmm::Class::count(double rows, double noise) {
  counted += rows / square(noise);
  precision += 1 / square(noise);
}

double StagedGmm::stage_mu() const {
  return mu_ * std::sqrt(kShares[static_cast<std::size_t>(stage_)]);
}

double StagedGmm::unit_noise() const {
  return outward / stage_mu();
}

double StagedGmm::distance_noise() const {
  return unit_noise() * (adjacency_ == Adjacency::add_remove ? 1 : std::numbers::sqrt2) * outward;
}

void StagedGmm::look_from_box() {
  frame_ = box_;
  // Under replace a row can cross the whole box, so the sums take less of its norm.
  const double share = adjacency_ == Adjacency::replace ? .5 : .15;
  const auto r = static_cast<double>(frame_.resolution);
  const double a = std::sqrt(share), b = std::sqrt(1 - share) / r;
  const double sigma = unit_noise() * moment_sensitivity(adjacency_, a, b, 0, r) * outward;
  noise_.assign(classes_.size(), {sigma / a * outward, sigma / b * outward, 0, 0});
}

std::optional<Pass> StagedGmm::next() const {
  if (done()) return std::nullopt;
  if (!wants_distances()) return Pass{PassKind::class_moments, frame_, {}};
  std::vector<double> edges;
  for (int i = 0; i < kBins - 1; ++i) {
    edges.push_back(std::floor(square(bin_end(features_, i) / frame_.step(0))));
  }
  return Pass{PassKind::class_distances, frame_, std::move(edges)};
}

void StagedGmm::look_whitened() {
  const auto d = static_cast<std::size_t>(features_);
  const bool distances = wants_distances();
  frame_ = box_;
  frame_.diagonal = distances || shape_ == CovarianceShape::diagonal;
  noise_.clear();
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const Class& c = classes_[k];
    MomentFrame::Class& view = frame_.classes[k];
    const Matrix map = c.axes.inverse();
    view.whitening.clear();
    for (std::size_t i = 0; i < d; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const double scale = box_.classes[k].whitening[i];  // 1 / half width
      view.centre[i] = std::clamp(box_.classes[k].centre[i] + c.centre[row] / scale, box_.lower[i],
                                  box_.upper[i]);
      for (std::size_t j = frame_.diagonal ? i : 0; j < (frame_.diagonal ? i + 1 : d); ++j) {
        view.whitening.push_back(map(row, static_cast<Eigen::Index>(j)) *
                                 box_.classes[k].whitening[j]);
      }
    }
    if (distances) {
      view.radius = 2 * std::sqrt(features_);
      continue;
    }
    const double two_classes = adjacency_ == Adjacency::add_remove ? 1 : std::numbers::sqrt2;
    view.radius = stage_ == 2 ? radius_of(features_, kFirstShare)
                              : best_radius(features_, unit_noise() * two_classes / c.divisor());
    const auto r = static_cast<double>(frame_.resolution);
    const MomentWeights w = moment_weights(features_, view.radius);
    const double a = w.count, b = w.sum * view.radius / r, e = w.square * square(view.radius / r);
    const double sigma = unit_noise() * moment_sensitivity(adjacency_, a, b, e, r) * outward;
    const double product = sigma / e / std::numbers::sqrt2 * outward;
    noise_.push_back({sigma / a * outward, sigma / b * outward, sigma / e * outward,
                      shape_ == CovarianceShape::full ? product : 0});
  }
}

std::vector<NoisyMoments> StagedGmm::noisy(RandomStream& random, const MomentTotals& exact) const {
  std::vector<NoisyMoments> moments;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    moments.push_back(add_noise(random, exact.classes.empty() ? nullptr : &exact.classes[k],
                                features_, noise_[k], frame_.step(k)));
  }
  return moments;
}

void StagedGmm::take(RandomStream& random, const PassStatistics& exact) {
  if (wants_distances()) {
    take_distances(random, std::get<BinCounts>(exact));
  } else {
    const std::vector<NoisyMoments> moments = noisy(random, std::get<MomentTotals>(exact));
    stage_ == 0 ? locate(moments) : refine(moments);
  }
  ++stage_;
  if (!done()) look_whitened();
}

// From here on: post-processing of released numbers.

void StagedGmm::locate(const std::vector<NoisyMoments>& moments) {
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    Class& c = classes_[k];
    const double noise = noise_[k].sum * frame_.step(k);
    c.count(moments[k].count, noise_[k].count);
    const double divisor = std::max(moments[k].count, noise_[k].count);
    c.centre = Eigen::Map<const Vector>(moments[k].sums.data(), features_) / divisor;
    c.centre = c.centre.cwiseMax(-1).cwiseMin(1);
    c.mean_variance = square(std::min(noise / divisor, 1.));  // box units
  }
}

void StagedGmm::take_distances(RandomStream& random, const BinCounts& exact) {
  const double noise = distance_noise();
  const RoundedNormal law(noise);
  std::vector<Vector> seen;
  Vector all = Vector::Zero(kBins);
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    seen.emplace_back(kBins);
    for (int b = 0; b < kBins; ++b) {
      const std::int64_t count = exact.count(static_cast<int>(k), b);
      seen.back()[b] = to_double(Int128{count} + law(random));
    }
    all += seen.back();
    classes_[k].count(seen.back().sum(), noise * std::sqrt(kBins));
  }
  all = all.cwiseMax(0);
  all /= std::max(all.sum(), 1e-9);
  const double borrowed = 3 * noise;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    Class& c = classes_[k];
    // A few rows, distributed as those of all classes, steady the quantile of a small class.
    const double wanted = kWidthQuantile * (std::max(c.rows(), 1.) + borrowed);
    int bin = 0;
    for (double sum = 0; bin < kBins - 1; ++bin) {
      sum += seen[k][bin] + borrowed * all[bin];
      if (sum >= wanted) break;
    }
    const double scale = bin_end(features_, bin) / std::sqrt(features_);
    c.axes = Matrix::Identity(features_, features_) * scale;
    c.mean_variance = std::min(c.mean_variance / square(scale), 1.);
    c.covariance = Matrix::Identity(features_, features_) / 2;
    c.covariance_variance = kPriorVariance;
  }
}

void StagedGmm::refine(const std::vector<NoisyMoments>& moments) {
  const bool diagonal = shape_ == CovarianceShape::diagonal;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    classes_[k].count(moments[k].count, noise_[k].count);
  }
  std::vector<NoisyCovariance> covariances;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    poll();
    Class& c = classes_[k];
    const double n = c.divisor(), step = frame_.step(k), r = frame_.classes[k].radius;
    const double slope = clipped_slope(features_, r), kept = clipped_variance(features_, r);
    const double mean_noise = square(noise_[k].sum * step / n / slope);
    const double noise = square(noise_[k].square * step * step / n / kept);
    // Each noisy number joins what was known before, by their precisions.
    const double trust = c.mean_variance / (c.mean_variance + mean_noise);
    const Vector mean =
        Eigen::Map<const Vector>(moments[k].sums.data(), features_) * (trust / n / slope);
    c.mean_variance *= 1 - trust;
    Matrix seen =
        Eigen::Map<const Matrix>(moments[k].products.data(), features_, features_) / (n * kept) -
        mean * mean.transpose();
    if (diagonal) seen = Matrix(seen.diagonal().asDiagonal());
    const double known = c.covariance_variance / (c.covariance_variance + noise);
    c.covariance = known * seen + (1 - known) * c.covariance;
    c.centre = (c.centre + c.axes * mean).cwiseMax(-1).cwiseMin(1);
    covariances.push_back({c.axes, c.covariance, std::sqrt(known * noise)});
  }
  pool(covariances);
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    Class& c = classes_[k];
    c.covariance = covariances[k].covariance;
    if (diagonal) c.covariance = Matrix(c.covariance.diagonal().asDiagonal());
    c.covariance_variance = square(covariances[k].noise);
    if (stage_ < stages - 1) rewhiten(c);
  }
}

// A frame in which the covariance is about the identity: wider where noise may hide more.
void StagedGmm::rewhiten(Class& c) const {
  // A diagonal map keeps the order of the features: sorted eigenvectors would permute them.
  Vector variances = c.covariance.diagonal();
  Matrix vectors = Matrix::Identity(features_, features_);
  if (shape_ == CovarianceShape::full) {
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(c.covariance);
    variances = solver.eigenvalues();
    vectors = solver.eigenvectors();
  }
  const double noise = std::sqrt(c.covariance_variance);
  const Vector widened = (variances.cwiseMax(noise / 2).array() +
                          kWiden * std::sqrt(2. * features_) * noise + c.mean_variance)
                             .matrix();
  c.axes = c.axes * vectors * widened.cwiseSqrt().asDiagonal();
  c.covariance = Matrix((variances.cwiseMax(.3 * noise).array() / widened.array())
                            .max(.1)
                            .min(1.)
                            .matrix()
                            .asDiagonal());
  c.mean_variance = std::min(c.mean_variance * widened.cwiseInverse().mean(), 1.);
  c.covariance_variance = kPriorVariance;
}

GmmFit StagedGmm::fit(GmmObjective objective) const {
  GmmFit fit;
  fit.mixture.features = features_;
  double total = 0;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const Class& c = classes_[k];
    const double noise = std::sqrt(c.covariance_variance), floor = kFloor * noise;
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(c.covariance);
    Vector variances = solver.eigenvalues();
    for (double& v : variances) {
      if (v < 2 * floor) v = floor + std::max(v, 0.) / 2;  // from floor at 0 to 2 floor
      v = std::clamp(v, kLeast, kLargest);
    }
    const Matrix axes = c.axes * solver.eigenvectors();
    const Matrix covariance = axes * variances.asDiagonal() * axes.transpose();
    // The divergence to be expected of the class, from the noise in its mean and its covariance.
    const double of_mean = c.mean_variance * variances.cwiseInverse().sum() / 2;
    const double of_covariance = square(noise * variances.cwiseInverse().sum()) / 4;
    double weight = std::max({c.rows(), 1., c.rows_noise() / 2});
    // Sum q_k (log(q_k / p_k) + D_k) is least at q_k ~ p_k e^{-D_k}.
    if (objective == GmmObjective::forward_kl) {
      weight *= std::exp(-std::min(of_mean + of_covariance, 6.));
    }
    total += weight;
    GaussianMixture::Component out{weight, std::max(c.rows(), 0.), {}, {}};
    place_component(c.centre, covariance, box_, out);
    fit.mixture.components.push_back(std::move(out));
    ComponentQuality quality = ComponentQuality::usable;
    if (c.rows() < 3 * c.rows_noise() || of_mean > features_ / 2.) {
      quality = ComponentQuality::too_few_rows;
    } else if (2 * noise > variances.mean()) {
      quality = ComponentQuality::rough_covariance;
    }
    fit.quality.push_back(quality);
  }
  for (GaussianMixture::Component& c : fit.mixture.components) c.weight /= total;
  return fit;
}

}  // namespace dpmix
