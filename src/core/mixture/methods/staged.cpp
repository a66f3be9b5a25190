#include "core/mixture/methods/staged.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/algebra/inverse.hpp"
#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"
#include "core/mixture/fit/distance_edges.hpp"
#include "core/mixture/fit/eigenvalue_noise.hpp"
#include "core/mixture/fit/moment_noise.hpp"
#include "core/mixture/fit/noisy_component.hpp"
#include "core/mixture/fit/place.hpp"
#include "core/mixture/fit/pool.hpp"
#include "core/mixture/fit/shape_choice.hpp"
#include "core/random/noisy.hpp"
#include "core/random/rounded_normal.hpp"

namespace dpmix {
namespace {

constexpr int kBins = GmmDistances::bins;
constexpr double kWidthQuantile = .64;  // of the distances: what sets the scale of a class
constexpr double kBorrowed = 40;        // deviations of noise, in rows
constexpr std::size_t kFirstClip = 1;   // .7 of a normal class lies inside the first ball
constexpr double kPriorVariance = .4;   // of a covariance's entry, carried to the next stage
constexpr double kWiden = .05;          // of the noise, when a frame is made of a noisy covariance

double square(double x) {
  return x * x;
}

}  // namespace

StagedGmm::StagedGmm(const GmmRequest& request)
    : features_(static_cast<int>(request.lower.size())),
      choosing_(!request.shape && features_ > 1),
      adjacency_(request.adjacency),
      mu_(request.mu),
      box_(box_frame(request.lower, request.upper, request.classes)),
      classes_(static_cast<std::size_t>(request.classes)) {
  for (Class& c : classes_) {
    c.centre = Vector::Zero(features_);
    c.axes = Matrix::Identity(features_, features_);
  }
  take_shape(request.shape.value_or(CovarianceShape::full));
  count_stddev_ = most_count_noise();
  look_from_box();
}

// Called before the first stage or after one: the shares of stages that are over are the same for
// all shapes then, so that all stages together spend mu whatever it is.
void StagedGmm::take_shape(CovarianceShape shape) {
  shape_ = shape;
  clips_ = clips(features_, diagonal());
  if (stage_ < distance_stage) schedule_ = gmm_schedule(features_, shape_, adjacency_);
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

const Clip& StagedGmm::clip_for(int stage, double rows) const {
  const double moved = adjacency_ == Adjacency::add_remove ? 1 : std::numbers::sqrt2;
  return best_clip(choice(stage), features_, moved / stage_mu(stage) / rows);
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

// The largest of what the choices of a shape would lead to.
double StagedGmm::most_count_noise() const {
  const auto noise = [](StagedGmm plan, int chosen) {
    Class c;
    for (plan.stage_ = 0; plan.stage_ < stages; ++plan.stage_) {
      c.count(0, plan.count_noise(plan.stage_));
      if (plan.stage_ == chosen) plan.take_shape(CovarianceShape::diagonal);
    }
    return c.rows_noise();
  };
  double largest = noise(*this, stages);
  if (choosing_)
    largest =
        std::max({largest, noise(*this, 0), noise(*this, first_choice), noise(*this, last_choice)});
  return largest;
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
  frame_.diagonal = distances || diagonal();
  // Noise of a common covariance averages over the classes.
  double rows = 0;
  for (const Class& c : classes_) rows += c.divisor();
  rows /= std::sqrt(static_cast<double>(classes_.size()));
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
    const bool common = shape_ == CovarianceShape::shared;
    chosen_.push_back(clip_for(stage_, common ? rows : c.divisor()));
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

// The rest is post-processing, once take_distances() has added noise.

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
  std::vector<NoisyCovariance> unseen;
  if (choosing_) choose(unseen, {});
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
      seen.back()[b] = to_double(dpmix::noisy(random, law, count));
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
  std::vector<NoisyCovariance> unseen;
  if (shape_ == CovarianceShape::shared) take_common_axes(unseen);
}

void StagedGmm::refine(const std::vector<NoisyMoments>& moments) {
  const double counted = count_noise(stage_);
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    classes_[k].count(moments[k].count, counted);
  }
  std::vector<NoisyCovariance> seen;
  std::vector<double> mean_errors;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    poll();
    Class& c = classes_[k];
    const double n = c.divisor(), step = frame_.step(k);
    const double slope = chosen_[k].slope, kept = chosen_[k].kept;
    const double mean_noise = square(noise_[k].sum * step / n / slope);
    // Each noisy number joins what was known before, by their precisions.
    const double trust = c.mean_variance / (c.mean_variance + mean_noise);
    const Vector mean =
        Eigen::Map<const Vector>(moments[k].sums.data(), features_) * (trust / n / slope);
    c.mean_variance *= 1 - trust;
    Matrix covariance =
        Eigen::Map<const Matrix>(moments[k].products.data(), features_, features_) / (n * kept) -
        mean * mean.transpose();
    seen.push_back({c.axes, std::move(covariance), noise_[k].square * step * step / n / kept});
    const double moved = mean.squaredNorm() / features_;
    const double off = std::max(moved / square(trust) - mean_noise, 0.) * square(1 - trust);
    const double error = off + square(trust) * mean_noise;
    mean_errors.push_back(2 * error * (2 * moved + error));
    c.centre = (c.centre + c.axes * mean).cwiseMax(-1).cwiseMin(1);
  }
  if (choosing_) choose(seen, mean_errors);
  if (shape_ == CovarianceShape::shared) {
    join_common(seen);
  } else {
    join_each(seen);
  }
}

// What is known of classes, each seen with noise, from what was known and what was seen.
void StagedGmm::join_each(std::vector<NoisyCovariance>& seen) {
  double precision = 0;
  for (const NoisyCovariance& c : seen) precision += 1 / square(c.noise);
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const Class& c = classes_[k];
    Matrix& covariance = seen[k].covariance;
    if (diagonal()) covariance = Matrix(covariance.diagonal().asDiagonal());
    const double noise = square(seen[k].noise);
    const double known = c.covariance_variance / (c.covariance_variance + noise);
    covariance = known * covariance + (1 - known) * c.covariance;
    seen[k].noise = std::sqrt(known * noise);
  }
  pool(seen, diagonal());
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    Class& c = classes_[k];
    c.covariance = seen[k].covariance;
    if (diagonal()) c.covariance = Matrix(c.covariance.diagonal().asDiagonal());
    c.covariance_variance = square(seen[k].noise);
    c.pooled_noise = classes_.size() > 1 ? 1 / std::sqrt(precision) : 0;
    if (stage_ < stages - 1) rewhiten(c, c.mean_variance);
  }
}

// The same where one covariance is to be known, hence one frame: noise of all classes averages.
void StagedGmm::join_common(const std::vector<NoisyCovariance>& seen) {
  double rows = 0, noise = 0, mean_variance = 0;
  for (const Class& c : classes_) rows += c.divisor();
  Matrix common = Matrix::Zero(features_, features_);
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const double part = classes_[k].divisor() / rows;
    common += part * seen[k].covariance;
    noise += square(part * seen[k].noise);
    mean_variance += part * classes_[k].mean_variance;
  }
  for (Class& c : classes_) {
    const double known = c.covariance_variance / (c.covariance_variance + noise);
    c.covariance = known * common + (1 - known) * c.covariance;
    c.covariance_variance = known * noise;
    if (stage_ < stages - 1) rewhiten(c, mean_variance);
  }
}

// Frames of classes that were not turned become one, which is as wide as all rows are on average.
void StagedGmm::take_common_axes(std::vector<NoisyCovariance>& seen) {
  const Vector common = common_widths();
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    Class& c = classes_[k];
    const Vector ratio = c.axes.diagonal().cwiseQuotient(common);
    const double squares = ratio.squaredNorm() / features_;
    c.axes = common.asDiagonal();
    c.mean_variance = std::min(c.mean_variance * squares, 1.);
    if (seen.empty()) continue;
    seen[k].covariance = ratio.asDiagonal() * seen[k].covariance * ratio.asDiagonal();
    seen[k].noise *= squares;
  }
}

Vector StagedGmm::common_widths() const {
  double rows = 0;
  Vector squares = Vector::Zero(features_);
  for (const Class& c : classes_) {
    rows += c.divisor();
    squares += c.divisor() * c.axes.diagonal().cwiseAbs2();
  }
  return (squares / rows).cwiseSqrt();
}

double StagedGmm::noise_at_last(const Class& c) const {
  const Clip& clip = clip_for(stages - 1, c.divisor());
  const double step = clip.radius / static_cast<double>(box_.resolution);
  return moment_noise(stages - 1, clip).square * square(step) / c.divisor() / clip.kept;
}

void StagedGmm::choose(std::vector<NoisyCovariance>& seen, const std::vector<double>& mean_errors) {
  const Vector common = common_widths();
  std::vector<FirstLook> looks;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const Class& c = classes_[k];
    FirstLook look{{}, 0, c.divisor(), noise_at_last(c), 0};
    if (!seen.empty()) {
      const Vector ratio = c.axes.diagonal().cwiseQuotient(common);
      const double squares = ratio.squaredNorm() / features_;
      look.covariance = ratio.asDiagonal() * seen[k].covariance * ratio.asDiagonal();
      look.noise = squares * seen[k].noise;
      look.centre = squares * std::sqrt(mean_errors[k]);
    }
    looks.push_back(std::move(look));
  }
  if (seen.empty()) {
    choosing_ = !only_diagonal(looks, features_);
    if (!choosing_) take_shape(CovarianceShape::diagonal);
    return;
  }
  const ShapeChoice choice = best_shape(looks);
  choosing_ = !choice.sure && stage_ < last_choice;
  if (choosing_) return;
  take_shape(choice.shape);
  if (shape_ == CovarianceShape::shared) take_common_axes(seen);
}

// A frame in which the covariance is about the identity: wider where noise may hide more.
void StagedGmm::rewhiten(Class& c, double mean_variance) const {
  const bool straight = diagonal() || choosing_;  // features are compared until a shape is picked
  const Spectrum seen = straight ? spectrum_of(c.covariance.diagonal().asDiagonal(), true)
                                 : spectrum_of(c.covariance);
  const double noise = std::sqrt(c.covariance_variance);
  const Vector values = straight ? seen.values : without_noise(seen.values, noise);
  const Vector widened = (values.cwiseMax(noise / 2).array() +
                          kWiden * eigenvalue_reach(features_, noise, straight) + mean_variance)
                             .matrix();
  c.axes = wide_axes(product(c.axes, seen.vectors * widened.cwiseSqrt().asDiagonal()));
  c.covariance = Matrix((values.cwiseMax(.3 * noise).array() / widened.array())
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
                     std::sqrt(c.covariance_variance), c.rows(), c.rows_noise(), 0,
                     c.pooled_noise});
  }
  return fit_components(known, box_, shape_, objective);
}

}  // namespace dpmix
