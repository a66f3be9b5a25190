// The release of a labelled mixture where the label alone is private (adjacency label): every other
// column is public, so where rows lie costs nothing, and noise falls on labels only.
//
// Enters: bounds, classes, a Gaussian-DP parameter mu, all public; then, pass by pass,
//   free     a sample of the features; where it is not all rows, how many of all are where
//   private  rows by label and cluster
//   private  twice: counts, sums and products by label, seen from where the label seems to be
// Leaves: noisy statistics, mu-GDP all private passes together, the free ones being functions of
// the features alone (docs/proofs/mixture_label_only.md), and the mixture that post-processing
// makes of all of it, always valid. Sound under adjacency label alone.
#pragma once

#include <vector>

#include "core/algebra/matrix.hpp"
#include "core/mixture/methods/label_only_clusters.hpp"
#include "core/mixture/methods/label_only_points.hpp"
#include "core/mixture/methods/method.hpp"

namespace dpmix {

class LabelOnlyGmm : public GmmMechanism {
 public:
  // Error PV005 unless adjacency is label, and for more than MomentFrame allows.
  explicit LabelOnlyGmm(const GmmRequest& request);

  GmmMethod method() const override { return GmmMethod::label_only; }
  std::vector<PassKind> kinds() const override {
    return {PassKind::feature_sample, PassKind::soft_moments, PassKind::class_clusters,
            PassKind::class_moments};
  }
  std::optional<Pass> next() const override;
  void take(RandomStream& random, const PassStatistics& exact) override;
  double count_stddev() const override { return count_stddev_; }
  GmmFit fit(GmmObjective objective) const override;

  // Whether the next pass looks at labels; deviations of the noise that it will get, in lattice
  // units, and how far neighbours may move it in those deviations. For tests.
  bool is_private() const { return stage_ == Stage::clusters || stage_ == Stage::moments; }
  double cluster_noise() const { return cluster_noise_; }
  const std::vector<MomentNoise>& moment_noise() const { return noise_; }
  double stage_mu() const;

 private:
  enum class Stage { sample, count, clusters, refine, moments, done };

  // A class as the clusters and its noisy moments have it, in the frame of the last pass.
  struct Class {
    Vector centre;  // box units
    Matrix axes;    // x = centre + axes z
    double rows = 0, rows_noise = 0;
    Vector mean;                          // of z
    Matrix covariance;                    // of z
    double mean_variance = 0, noise = 0;  // per coordinate; deviation of the covariance's entries
  };

  MomentNoise noise_at(double radius) const;  // of this pass, in lattice units
  void look_closer();
  void look_at_classes();
  void take_counts(RandomStream& random, const BinCounts& exact);
  void join_moments();
  void take_moments(RandomStream& random, const MomentTotals& exact);

  int features_, classes_;
  CovarianceShape shape_;
  double mu_;
  MomentFrame box_, frame_;
  Stage stage_ = Stage::sample;
  std::size_t share_ = 0;  // of mu^2: that of the next private pass
  FeatureClusters clusters_;
  LabelledPoints labelled_;
  bool normal_ = true;  // labels are as one Gaussian each has it, not as clusters do
  double cluster_noise_ = 0, count_stddev_ = 0;
  std::vector<MomentNoise> noise_;
  std::vector<Class> fitted_;
  std::vector<Vector> seen_, seen_noise_;  // of each label: the last pass
};

}  // namespace dpmix
