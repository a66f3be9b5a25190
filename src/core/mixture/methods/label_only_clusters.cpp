#include "core/mixture/methods/label_only_clusters.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/poll.hpp"
#include "core/mixture/density.hpp"
#include "core/mixture/fit/component_view.hpp"
#include "core/mixture/point_mixture.hpp"
#include "core/random/stream.hpp"

namespace dpmix {
namespace {

constexpr double kMostPoints = 4096;
constexpr double kLeastPoints = 256;
constexpr double kWork = 0x1p25;     // points * classes * moments of a class
constexpr double kShares = 0x1p21;   // points * classes
constexpr double kNumbers = 0x1p20;  // points * features
constexpr int kClustersPerClass = 3;
constexpr int kMostClusters = MomentFrame::max_classes;
// The least variance in the box: a million steps of its lattice are its width.
constexpr double kLeastVariance = 1e-12;
// Where starts are drawn from. Fixed and public, so that clusters depend on the features alone.
constexpr RandomStream::Key kStarts = {'c', 'l', 'u', 's', 't', 'e', 'r', 's'};

int clusters_for(int features, int classes) {
  const auto moments = static_cast<std::int64_t>(features) * (features + 1) / 2;
  const auto most = static_cast<int>(MomentFrame::max_products / moments);
  return std::min({kClustersPerClass * classes, most, kMostClusters});
}

}  // namespace

int FeatureClusters::sample_limit(int features, int classes, CovarianceShape shape) {
  const double d = features, k = classes;
  const double moments = shape == CovarianceShape::diagonal ? 2 * d : d * (d + 1) / 2;
  const double limit = std::min({kWork / (k * moments), kShares / k, kNumbers / d});
  return static_cast<int>(std::clamp(limit, kLeastPoints, kMostPoints));
}

FeatureClusters::FeatureClusters(const WeightedPoints& sample, int limit, int classes,
                                 CovarianceShape shape)
    : diagonal_(shape == CovarianceShape::diagonal),
      complete_(sample.size() < static_cast<std::size_t>(limit)) {
  WeightedPoints points = sample;
  const auto d = static_cast<std::size_t>(points.features);
  if (points.size() == 0) {
    points.points.assign(d, 0);
    points.weights = {1e-6};
  }
  const auto n = static_cast<Eigen::Index>(points.size());
  points_ = Eigen::Map<const Matrix>(points.points.data(), points.features, n);
  weights_ = Eigen::Map<const Vector>(points.weights.data(), n);
  RandomStream random(kStarts);
  PointMixtureOptions options;
  options.restarts = 1;
  options.iterations = 0;  // k-means is enough: labels tell clusters together again
  options.least_variance = kLeastVariance;
  mixture_ = fit_points(points, clusters_for(points.features, classes), random, options).mixture;
  if (diagonal_) {
    for (GaussianMixture::Component& c : mixture_.components) {
      for (std::size_t i = 0; i < d * d; ++i) c.covariance[i] *= i % (d + 1) == 0;
    }
  }
  const MixtureDensity density(mixture_);
  rows_ = Vector::Zero(size());
  Vector likely(size());
  for (Eigen::Index i = 0; i < n; ++i) {
    if (i % 256 == 0) poll();
    density.log_densities(points_.col(i).data(), likely.data());
    likely.maxCoeff(&cluster_.emplace_back());
    rows_[cluster_.back()] += weights_[i];
  }
}

MixtureFrame FeatureClusters::frame(const MomentFrame& box) const {
  MixtureFrame frame = component_view(mixture_, box, diagonal_);
  frame.hard = true;
  return frame;
}

void FeatureClusters::count(const MomentTotals& exact) {
  if (exact.classes.empty()) return;
  const Vector sampled = rows_;
  for (Eigen::Index j = 0; j < rows_.size(); ++j) {
    rows_[j] = static_cast<double>(exact.classes[static_cast<std::size_t>(j)].count) /
               static_cast<double>(MixtureFrame::whole);
  }
  for (Eigen::Index n = 0; n < weights_.size(); ++n) {
    const Eigen::Index j = cluster_[static_cast<std::size_t>(n)];
    weights_[n] *= rows_[j] / sampled[j];
  }
}

Matrix FeatureClusters::shares_of_points(const Matrix& shares_of_clusters) const {
  Matrix out(shares_of_clusters.rows(), points_.cols());
  for (Eigen::Index n = 0; n < out.cols(); ++n) {
    out.col(n) = shares_of_clusters.col(cluster_[static_cast<std::size_t>(n)]);
  }
  return out;
}

Matrix FeatureClusters::rows_by_cluster(const Matrix& shares_of_points) const {
  Matrix out = Matrix::Zero(shares_of_points.rows(), size());
  for (Eigen::Index n = 0; n < shares_of_points.cols(); ++n) {
    out.col(cluster_[static_cast<std::size_t>(n)]) += weights_[n] * shares_of_points.col(n);
  }
  return out;
}

}  // namespace dpmix
