#include "core/mixture/methods/staged.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/algebra/inverse.hpp"
#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"
#include "core/mixture/fit/distance_edges.hpp"
#include "core/mixture/fit/moment_noise.hpp"
#include "core/mixture/fit/noisy_component.hpp"
#include "core/mixture/fit/place.hpp"
#include "core/mixture/fit/pool.hpp"
#include "core/random/rounded_normal.hpp"

namespace dpmix {
namespace {

constexpr int kBins = GmmDistances::bins;
constexpr double kWidthQuantile = .64;  // of the distances: what sets the scale of a class
constexpr double kBorrowed = 5;         // deviations of noise, in rows
constexpr std::size_t kFirstClip = 1;   // .7 of a normal class lies inside the first ball
constexpr double kPriorVariance = .4;   // of a covariance's entry, carried to the next stage
constexpr double kWiden = .25;          // of the noise, when a frame is made of a noisy covariance

double square(double x) {
  return x * x;
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

double StagedGmm::distance_noise() const {
  return bin_noise(adjacency_, stage_mu(distance_stage));
}

MomentNoise StagedGmm::moment_noise(int stage, double a, double b, double e) const {
  return dpmix::moment_noise(adjacency_, shape_, stage_mu(stage), a, b, e,
                             static_cast<double>(box_.resolution));
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
  return Pass{PassKind::class_distances, frame_, GmmDistances{features_}.edges(frame_.step(0))};
}

void StagedGmm::look_whitened() {
  const bool distances = wants_distances();
  frame_ = box_;
  frame_.diagonal = distances || shape_ == CovarianceShape::diagonal;
  noise_.clear();
  chosen_.clear();
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const Class& c = classes_[k];
    MomentFrame::Class& view = frame_.classes[k];
    view = class_at(box_, c.centre, inverse_of(c.axes).matrix, frame_.diagonal);
    if (distances) {
      view.radius = GmmDistances{features_}.farthest();
      continue;
    }
    const double moved = adjacency_ == Adjacency::add_remove ? 1 : std::numbers::sqrt2;
    chosen_.push_back(best_clip(choice(stage_), features_, moved / stage_mu() / c.divisor()));
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
    const double scale = GmmDistances{features_}.end(bin) / std::sqrt(features_);
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
  const Spectrum seen = spectrum_of(c.covariance, shape_ == CovarianceShape::diagonal);
  const double noise = std::sqrt(c.covariance_variance);
  // As far as noise may move an eigenvalue.
  const double edge = std::sqrt(shape_ == CovarianceShape::diagonal ? 2. : 2. * features_);
  const Vector widened =
      (seen.values.cwiseMax(noise / 2).array() + kWiden * edge * noise + c.mean_variance).matrix();
  c.axes = wide_axes(product(c.axes, seen.vectors * widened.cwiseSqrt().asDiagonal()));
  c.covariance = Matrix((seen.values.cwiseMax(.3 * noise).array() / widened.array())
                            .max(.1)
                            .min(1.)
                            .matrix()
                            .asDiagonal());
  c.mean_variance = std::min(c.mean_variance * widened.cwiseInverse().mean(), 1.);
  c.covariance_variance = kPriorVariance;
}

GmmFit StagedGmm::fit(GmmObjective objective) const {
  std::vector<NoisyComponent> known;
  for (const Class& c : classes_) {
    known.push_back({c.centre, c.axes, c.covariance, c.mean_variance,
                     std::sqrt(c.covariance_variance), c.rows(), c.rows_noise()});
  }
  return fit_components(known, box_, shape_, objective);
}

}  // namespace dpmix
