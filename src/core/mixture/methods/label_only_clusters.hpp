// Where rows are, whatever their labels: small clusters of a sample of the features.
//
// Enters: the sample; then, when it is not all rows, how many of all are in each cluster. Leaves:
// clusters, each point's own, and points that stand for all rows. Deterministic: a function of the
// features alone. Units of the box.
#pragma once

#include <vector>

#include "core/algebra/matrix.hpp"
#include "core/input/mixture_frame.hpp"
#include "core/mixture/gaussian_mixture.hpp"
#include "core/stats/class_moments.hpp"
#include "core/stats/weighted_points.hpp"

namespace dpmix {

class FeatureClusters {
 public:
  // How many points to keep: what a second of work and a few megabytes allow.
  static int sample_limit(int features, int classes, CovarianceShape shape);

  FeatureClusters() = default;
  // A sample of fewer than `limit` points is all rows. Without any, one in the middle of the box.
  FeatureClusters(const WeightedPoints& sample, int limit, int classes, CovarianceShape shape);

  bool complete() const { return complete_; }
  int size() const { return static_cast<int>(mixture_.components.size()); }
  // The frame that finds a row's cluster, the most likely component. box: box_frame of the
  // features.
  MixtureFrame frame(const MomentFrame& box) const;
  // exact: moments of frame(box) over all rows. Points of a cluster then stand for all its rows.
  void count(const MomentTotals& exact);

  // A point in each column; how many rows it stands for.
  const Matrix& points() const { return points_; }
  const Vector& weights() const { return weights_; }
  const Vector& rows() const { return rows_; }  // by cluster
  // Shares of each label at points from those in clusters; rows of each label in clusters from
  // shares at points. One row for each label.
  Matrix shares_of_points(const Matrix& shares_of_clusters) const;
  Matrix rows_by_cluster(const Matrix& shares_of_points) const;

 private:
  bool diagonal_ = false, complete_ = false;
  GaussianMixture mixture_;
  Matrix points_;
  Vector weights_, rows_;
  std::vector<Eigen::Index> cluster_;  // of each point
};

}  // namespace dpmix
