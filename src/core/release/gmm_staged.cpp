#include "core/release/gmm_staged.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/poll.hpp"
#include "core/random/rounded_normal.hpp"
#include "core/release/gmm_place.hpp"
#include "core/release/gmm_pool.hpp"
#include "core/stats/moment_sensitivity.hpp"

namespace dpmix {
namespace {

constexpr double outward = 1 + 0x1p-40;  // for the roundings between proof and doubles
constexpr int kBins = 19;
constexpr double kInnerEdge = 2e-3;     // of the box's half width
constexpr double kWidthQuantile = .64;  // of the distances: what sets the scale of a class
constexpr double kBorrowed = 5;         // deviations of noise, in rows
constexpr std::size_t kFirstClip = 1;   // .7 of a normal class lies inside the first ball
constexpr double kPriorVariance = .4;   // of a covariance's entry, carried to the next stage
constexpr double kWiden = .25;          // of the noise, when a frame is made of a noisy covariance
constexpr double kMostDivergence = 6;   // that a class's weight is lowered by
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
      schedule_(gmm_schedule(features_, shape_, adjacency_)),
      clips_(clips(features_, shape_ == CovarianceShape::diagonal)),
      box_(box_frame(request.lower, request.upper, request.classes)),
      classes_(static_cast<std::size_t>(request.classes)) {
  for (Class& c : classes_) {
    c.centre = Vector::Zero(features_);
    c.axes = Matrix::Identity(features_, features_);
  }
  look_from_box();
}

void StagedGmm::Class::count(double rows, double noise) {
  counted += rows / square(noise);
  precision += 1 / square(noise);
}

double StagedGmm::stage_mu(int stage) const {
  return mu_ * std::sqrt(schedule_.shares[static_cast<std::size_t>(stage)]);
}

double StagedGmm::unit_noise(int stage) const {
  return outward / stage_mu(stage);
}

double StagedGmm::distance_noise() const {
  const double moved = adjacency_ == Adjacency::add_remove ? 1 : std::numbers::sqrt2;
  return unit_noise(distance_stage) * moved * outward;
}

MomentNoise StagedGmm::moment_noise(int stage, double a, double b, double e) const {
  const auto r = static_cast<double>(box_.resolution);
  const double sigma = unit_noise(stage) * moment_sensitivity(adjacency_, a, b, e, r) * outward;
  MomentNoise noise{sigma / a * outward, sigma / b * outward, 0, 0};
  if (e > 0) noise.square = sigma / e * outward;
  // An off-diagonal product stands twice in the Frobenius norm.
  if (e > 0 && shape_ == CovarianceShape::full) {
    noise.product = sigma / e / std::numbers::sqrt2 * outward;
  }
  return noise;
}

MomentNoise StagedGmm::moment_noise(int stage, const Clip& clip) const {
  const double unit = clip.radius / static_cast<double>(box_.resolution);
  const MomentWeights& w = clip.weights;
  return moment_noise(stage, w.count, w.sum * unit, w.square * square(unit));
}

MomentNoise StagedGmm::box_noise() const {
  const double share = schedule_.box_count;
  return moment_noise(0, std::sqrt(share),
                      std::sqrt(1 - share) / static_cast<double>(box_.resolution), 0);
}

std::span<const Clip> StagedGmm::choice(int stage) const {
  const std::span all(clips_);
  return stage == distance_stage + 1 ? all.subspan(kFirstClip, 1) : all;
}

// The largest that the stage's choice of a clip allows; nearly all clips give the same.
double StagedGmm::count_noise(int stage) const {
  if (stage == 0) return box_noise().count;
  if (stage == distance_stage) return distance_noise() * std::sqrt(kBins);
  double largest = 0;
  for (const Clip& clip : choice(stage)) {
    largest = std::max(largest, moment_noise(stage, clip).count);
  }
  return largest;
}

double StagedGmm::count_stddev() const {
  Class c;
  for (int stage = 0; stage < stages; ++stage) c.count(0, count_noise(stage));
  return c.rows_noise();
}

void StagedGmm::look_from_box() {
  frame_ = box_;
  noise_.assign(classes_.size(), box_noise());
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
  chosen_.clear();
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
    const double moved = adjacency_ == Adjacency::add_remove ? 1 : std::numbers::sqrt2;
    chosen_.push_back(
        best_clip(choice(stage_), features_, unit_noise(stage_) * moved / c.divisor()));
    view.radius = chosen_.back().radius;
    noise_.push_back(moment_noise(stage_, chosen_.back()));
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
    c.count(moments[k].count, count_noise(0));
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
    classes_[k].count(seen.back().sum(), count_noise(stage_));
  }
  all = all.cwiseMax(0);
  all /= std::max(all.sum(), 1e-9);
  const double borrowed = kBorrowed * noise;
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
  const double counted = count_noise(stage_);
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    classes_[k].count(moments[k].count, counted);
  }
  std::vector<NoisyCovariance> covariances;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    poll();
    Class& c = classes_[k];
    const double n = c.divisor(), step = frame_.step(k);
    const double slope = chosen_[k].slope, kept = chosen_[k].kept;
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
  pool(covariances, diagonal);
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
  const Spectrum seen(c.covariance, shape_ == CovarianceShape::diagonal);
  const double noise = std::sqrt(c.covariance_variance);
  // As far as noise may move an eigenvalue.
  const double edge = std::sqrt(shape_ == CovarianceShape::diagonal ? 2. : 2. * features_);
  const Vector widened =
      (seen.values.cwiseMax(noise / 2).array() + kWiden * edge * noise + c.mean_variance).matrix();
  c.axes = wide_axes(c.axes * seen.vectors * widened.cwiseSqrt().asDiagonal());
  c.covariance = Matrix((seen.values.cwiseMax(.3 * noise).array() / widened.array())
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
    const Spectrum seen(c.covariance, shape_ == CovarianceShape::diagonal);
    Vector variances = seen.values;
    for (double& v : variances) {
      if (v < 2 * floor) v = floor + std::max(v, 0.) / 2;  // from floor at 0 to 2 floor
      v = std::clamp(v, kLeast, kLargest);
    }
    const Matrix axes = c.axes * seen.vectors;
    const Matrix covariance = axes * variances.asDiagonal() * axes.transpose();
    // The divergence to be expected of the class, from the noise in its mean and its covariance.
    const double of_mean = c.mean_variance * variances.cwiseInverse().sum() / 2;
    const double of_covariance =
        square(noise) / 4 *
        (shape_ == CovarianceShape::diagonal ? 2 * variances.cwiseInverse().squaredNorm()
                                             : square(variances.cwiseInverse().sum()));
    double weight = std::max({c.rows(), 1., c.rows_noise() / 2});
    // Sum q_k (log(q_k / p_k) + D_k) is least at q_k ~ p_k e^{-D_k}.
    if (objective == GmmObjective::forward_kl) {
      weight *= std::exp(-std::min(of_mean + of_covariance, kMostDivergence));
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
