#include "core/mixture/methods/label_only.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "core/algebra/cholesky.hpp"
#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/input/cluster_frame.hpp"
#include "core/mixture/fit/clip.hpp"
#include "core/mixture/fit/moment_noise.hpp"
#include "core/mixture/fit/noisy_component.hpp"
#include "core/mixture/fit/place.hpp"
#include "core/mixture/methods/label_only_residual.hpp"
#include "core/mixture/methods/label_only_shares.hpp"
#include "core/random/noisy.hpp"
#include "core/random/rounded_normal.hpp"
#include "core/stats/feature_sample.hpp"

namespace dpmix {
namespace {

// Shares of mu^2: counts of labels by cluster; the rest is for moments. Chosen on simulated tables.
constexpr std::array kShares = {.15, .25, .6};
constexpr std::uint64_t kSalt = 20260;  // any: it orders features, and is public
constexpr int kIterations = 30;         // of EM over the points
constexpr int kRounds = 3;              // of what moments say and what the points then say of them

double square(double x) {
  return x * x;
}

}  // namespace

LabelOnlyGmm::LabelOnlyGmm(const GmmRequest& request)
    : features_(static_cast<int>(request.lower.size())),
      classes_(request.classes),
      shape_(request.shape.value_or(CovarianceShape::full)),
      mu_(request.mu),
      box_(box_frame(request.lower, request.upper, request.classes)) {
  if (request.adjacency != Adjacency::label) {
    refuse_parameter("method label_only is for labels alone",
                     "Neighbours of the table differ in whole rows (adjacency " +
                         std::string(name(request.adjacency)) + "), and it reads features freely.",
                     "Use staged, or protect the table with adjacency label.");
  }
  cluster_noise_ = bin_noise(Adjacency::label, stage_mu());
  // Counts are at least as good as the last pass alone has them, whatever radius it takes.
  share_ = kShares.size() - 1;
  for (const double relative_noise : {0., 1e9}) {
    const double r = best_radius(features_, relative_noise);
    count_stddev_ = std::max(count_stddev_, noise_at(r).count);
  }
  share_ = 0;
}

double LabelOnlyGmm::stage_mu() const {
  return mu_ * std::sqrt(kShares[share_]);
}

MomentNoise LabelOnlyGmm::noise_at(double radius) const {
  const auto r = static_cast<double>(box_.resolution);
  const MomentWeights w = moment_weights(features_, radius);
  return dpmix::moment_noise(Adjacency::label, shape_, stage_mu(), w.count, w.sum * radius / r,
                             w.square * square(radius / r), r);
}

std::optional<Pass> LabelOnlyGmm::next() const {
  switch (stage_) {
    case Stage::sample: {
      SampleFrame sample;
      sample.limit = FeatureClusters::sample_limit(features_, classes_, shape_);
      sample.salt = kSalt;
      MomentFrame frame = box_;
      frame.classes.resize(1);
      return Pass{PassKind::feature_sample, std::move(frame), sample.extra()};
    }
    case Stage::count:
    case Stage::refine:
    case Stage::clusters: {
      const bool refine = stage_ == Stage::refine;
      MixtureFrame mixture = refine ? labelled_.frame(box_) : clusters_.frame(box_);
      if (stage_ != Stage::clusters) {
        std::vector<double> extra = mixture.extra();
        return Pass{PassKind::soft_moments, std::move(mixture.frame), std::move(extra)};
      }
      ClusterFrame counted{std::move(mixture), classes_};
      std::vector<double> extra = counted.extra();
      return Pass{PassKind::class_clusters, std::move(counted.mixture.frame), std::move(extra)};
    }
    case Stage::moments:
      return Pass{PassKind::class_moments, frame_, {}};
    case Stage::done:
      break;
  }
  return std::nullopt;
}

void LabelOnlyGmm::take(RandomStream& random, const PassStatistics& exact) {
  switch (stage_) {
    case Stage::sample: {
      const int limit = FeatureClusters::sample_limit(features_, classes_, shape_);
      WeightedPoints sample = std::get<WeightedPoints>(exact);
      sample.features = features_;
      clusters_ = FeatureClusters(sample, limit, classes_, shape_);
      stage_ = clusters_.complete() ? Stage::clusters : Stage::count;
      break;
    }
    case Stage::count:
      clusters_.count(std::get<MomentTotals>(exact));
      stage_ = Stage::clusters;
      break;
    case Stage::clusters:
      take_counts(random, std::get<BinCounts>(exact));
      look_closer();
      break;
    case Stage::refine:
      labelled_.refine(std::get<MomentTotals>(exact), labelled_.frame(box_));
      look_at_classes();
      break;
    case Stage::moments:
      take_moments(random, std::get<MomentTotals>(exact));
      look_closer();
      break;
    case Stage::done:
      break;
  }
}

void LabelOnlyGmm::take_counts(RandomStream& random, const BinCounts& exact) {
  const RoundedNormal law(cluster_noise_);
  Matrix counts(classes_, clusters_.size());
  for (int k = 0; k < classes_; ++k) {
    for (int j = 0; j < clusters_.size(); ++j) {
      counts(k, j) = to_double(noisy(random, law, exact.count(k, j)));
    }
  }
  // The rest is post-processing of released numbers and of features.
  const LabelledPoints by_cluster(
      clusters_.points(), clusters_.weights(),
      clusters_.shares_of_points(label_shares(counts, cluster_noise_, clusters_.rows())), shape_);
  labelled_ = by_cluster;
  labelled_.iterate(kIterations);
  // One Gaussian for each label, unless the counts speak against it.
  const Vector& w = clusters_.weights();
  const Matrix p = labelled_.shares(), unsure = p.array() * (1 - p.array()).max(0.);
  const Matrix expected = clusters_.rows_by_cluster(p);
  Matrix allowed = clusters_.rows_by_cluster(unsure);
  allowed = allowed.array() + (kMisfit * allowed.array()).square();
  if (!clusters_.complete()) allowed += clusters_.rows_by_cluster(unsure * w.asDiagonal());
  allowed.array() += square(cluster_noise_);
  const double off = ((counts - expected).array().square() / allowed.array()).sum();
  const auto entries = static_cast<double>(counts.size());
  normal_ = off <= entries + kSurprise * std::sqrt(2 * entries);
  if (!normal_) labelled_ = by_cluster;
}

// Goes to the next pass: of moments, or first of what is free, where the sample is not all rows.
void LabelOnlyGmm::look_closer() {
  if (++share_ == kShares.size()) {
    stage_ = Stage::done;
  } else if (normal_ && !clusters_.complete()) {
    stage_ = Stage::refine;
  } else {
    look_at_classes();
  }
}

void LabelOnlyGmm::look_at_classes() {
  stage_ = Stage::moments;
  const bool diagonal = shape_ == CovarianceShape::diagonal;
  frame_ = box_;
  frame_.diagonal = diagonal;
  noise_.clear();
  fitted_.clear();
  seen_.clear(), seen_noise_.clear();
  for (int k = 0; k < classes_; ++k) {
    Class c;
    const auto& component = labelled_.mixture().components[static_cast<std::size_t>(k)];
    c.rows = component.rows;
    c.centre = Eigen::Map<const Vector>(component.mean.data(), features_);
    Matrix covariance = Eigen::Map<const Matrix>(component.covariance.data(), features_, features_);
    c.centre = c.centre.cwiseMax(-1).cwiseMin(1);
    covariance.diagonal().array() += 1e-12;
    const auto root = diagonal ? std::nullopt : cholesky(covariance);
    c.axes = root ? *root : Matrix(covariance.diagonal().cwiseMax(1e-12).cwiseSqrt().asDiagonal());
    MomentFrame::Class& view = frame_.classes[static_cast<std::size_t>(k)];
    view = class_at(box_, c.centre, inverse_of_lower(c.axes), diagonal);
    view.radius = best_radius(features_, std::numbers::sqrt2 / stage_mu() / std::max(c.rows, 1.));
    noise_.push_back(noise_at(view.radius));
    fitted_.push_back(std::move(c));
  }
}

void LabelOnlyGmm::take_moments(RandomStream& random, const MomentTotals& exact) {
  const bool diagonal = shape_ == CovarianceShape::diagonal;
  const Eigen::Index d = features_;
  for (int k = 0; k < classes_; ++k) {
    poll();
    const auto at = static_cast<std::size_t>(k);
    const double step = frame_.step(at);
    const NoisyMoments moments = add_noise(
        random, exact.classes.empty() ? nullptr : &exact.classes[at], features_, noise_[at], step);
    // The rest is post-processing.
    const Eigen::Index many = 1 + d + (diagonal ? d : d * (d + 1) / 2);
    Vector seen(many), noise(many);
    seen[0] = moments.count, noise[0] = square(noise_[at].count);
    Eigen::Index next = 1 + d;
    for (Eigen::Index i = 0; i < d; ++i) {
      seen[1 + i] = moments.sums[static_cast<std::size_t>(i)];
      noise[1 + i] = square(noise_[at].sum * step);
      for (Eigen::Index j = i; j < (diagonal ? i + 1 : d); ++j, ++next) {
        seen[next] = moments.products[static_cast<std::size_t>(i * d + j)];
        noise[next] = square((i == j ? noise_[at].square : noise_[at].product) * step * step);
      }
    }
    seen_.push_back(seen), seen_noise_.push_back(noise);
  }
  for (int i = 0; i < kRounds; ++i) {
    if (i > 0 && !normal_) break;
    if (i > 0) labelled_.expect();
    join_moments();
  }
}

void LabelOnlyGmm::join_moments() {
  const bool diagonal = shape_ == CovarianceShape::diagonal;
  const Eigen::Index d = features_;
  for (int k = 0; k < classes_; ++k) {
    const auto at = static_cast<std::size_t>(k);
    Class& c = fitted_[at];
    const Vector &seen = seen_[at], &noise = seen_noise_[at];
    const Eigen::Index many = seen.size();
    const ExpectedMoments expected = expected_moments(
        labelled_, k, c.centre, inverse_of_lower(c.axes), frame_.classes[at].radius, diagonal);
    const auto [moments, variance] = join(expected, seen, noise);
    c.rows = moments[0];
    c.rows_noise = std::sqrt(variance[0]);
    const double n = std::max({c.rows, c.rows_noise, 1.});
    c.mean = moments.segment(1, d) / n;
    c.covariance = Matrix::Zero(d, d);
    Eigen::Index next = 1 + d;
    for (Eigen::Index i = 0; i < d; ++i) {
      for (Eigen::Index j = i; j < (diagonal ? i + 1 : d); ++j, ++next) {
        c.covariance(i, j) = c.covariance(j, i) = moments[next] / n - c.mean[i] * c.mean[j];
      }
    }
    c.mean_variance = variance.segment(1, d).mean() / square(n);
    c.noise = std::sqrt(variance.tail(many - 1 - d).mean()) / n;
    // What the next expectation goes by.
    GaussianMixture::Component& component = labelled_.mixture().components[at];
    const Spectrum seen_axes = spectrum_of(c.covariance);
    Eigen::Map<Vector>(component.mean.data(), d) =
        (c.centre + c.axes * c.mean).cwiseMax(-1).cwiseMin(1);
    Eigen::Map<Matrix>(component.covariance.data(), d, d) = diagonal_congruence(
        product(c.axes, seen_axes.vectors), seen_axes.values.cwiseMax(std::max(c.noise, .01)));
    component.weight = component.rows = n;
  }
}

GmmFit LabelOnlyGmm::fit(GmmObjective objective) const {
  std::vector<NoisyComponent> known;
  for (const Class& c : fitted_) {
    const Vector mean = (c.centre + c.axes * c.mean).cwiseMax(-1).cwiseMin(1);
    known.push_back({mean, c.axes, c.covariance, c.mean_variance, c.noise, c.rows, c.rows_noise});
  }
  return fit_components(known, box_, shape_, objective);
}

}  // namespace dpmix
