// The staged release of labelled Gaussian mixtures: each stage looks at the rows of a class from
// where the released numbers of the stages before say that the class is, so that its noise has the
// shape of the class.
//
// Enters: bounds, classes, adjacency and a Gaussian-DP parameter mu, all public; then, stage by
// stage, the exact integer statistics that it asks for:
//   1 counts and sums in the box     where each class is
//   2 distances from there           how wide it is
//   3.. counts, sums and products of whitened, clipped rows
// Leaves: noisy statistics, mu-GDP all stages together (docs/proofs/mixture_staged.md), and the
// mixture that post-processing makes of them, always valid.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/algebra/matrix.hpp"
#include "core/mixture/fit/clip.hpp"
#include "core/mixture/fit/pool.hpp"
#include "core/mixture/methods/method.hpp"
#include "core/mixture/methods/staged_shares.hpp"

namespace dpmix {

class StagedGmm : public GmmMechanism {
 public:
  static constexpr int stages = GmmSchedule::stages;

  // Error PV005 as plan_gmm.
  explicit StagedGmm(const GmmRequest& request);

  GmmMethod method() const override { return GmmMethod::staged; }
  std::vector<PassKind> kinds() const override {
    return {PassKind::class_moments, PassKind::class_distances};
  }
  std::optional<Pass> next() const override;
  void take(RandomStream& random, const PassStatistics& exact) override;
  double count_stddev() const override { return count_stddev_; }
  GmmFit fit(GmmObjective objective) const override;

  // Deviations of the noise that the next statistics will get, in lattice units: moments by class,
  // each distance bin.
  const std::vector<MomentNoise>& noise() const { return noise_; }
  double distance_noise() const;
  // How far neighbours may move them, in those deviations: mu^2 is shared among the stages.
  double stage_mu() const { return stage_mu(stage_); }

 private:
  // What is known of a class, seen from centre + axes z; box units.
  struct Class {
    Vector centre;
    Matrix axes;
    double mean_variance;               // of the centre, per coordinate of z
    Matrix covariance;                  // of the rows, in z
    double covariance_variance;         // of each of its entries
    double pooled_noise = 0;            // deviation of those that it was shrunk towards
    double counted = 0, precision = 0;  // noisy counts by their precision, and its sum
    double rows() const { return counted / precision; }
    double rows_noise() const { return 1 / std::sqrt(precision); }
    double divisor() const { return std::max({rows(), rows_noise(), 1.}); }
    void count(double rows, double noise);
  };

  static constexpr int distance_stage = 1, first_choice = 2, last_choice = 3;
  bool diagonal() const { return shape_ == CovarianceShape::diagonal; }
  void take_shape(CovarianceShape shape);
  double most_count_noise() const;
  bool done() const { return stage_ == stages; }
  bool wants_distances() const { return stage_ == distance_stage; }
  double stage_mu(int stage) const;
  // a, b, e: weights of count, sum, products per lattice step.
  MomentNoise moment_noise(int stage, double a, double b, double e) const;
  MomentNoise moment_noise(int stage, const Clip& clip) const;
  MomentNoise box_noise() const;
  std::span<const Clip> choice(int stage) const;  // of clips, that a whitened stage has
  const Clip& clip_for(int stage, double rows) const;
  double count_noise(int stage) const;  // of a class's rows as that stage tells them
  void look_from_box();
  void look_whitened();
  std::vector<NoisyMoments> noisy(RandomStream& random, const MomentTotals& exact) const;
  void take_distances(RandomStream& random, const BinCounts& exact);
  void locate(const std::vector<NoisyMoments>& moments);
  void refine(const std::vector<NoisyMoments>& moments);
  void choose(std::vector<NoisyCovariance>& seen, const std::vector<double>& mean_errors);
  double noise_at_last(const Class& c) const;
  void join_each(std::vector<NoisyCovariance>& seen);
  void join_common(const std::vector<NoisyCovariance>& seen);
  void take_common_axes(std::vector<NoisyCovariance>& seen);
  Vector common_widths() const;
  void rewhiten(Class& c, double mean_variance) const;

  int features_;
  CovarianceShape shape_ = CovarianceShape::full;
  bool choosing_;  // no shape was asked for, and none is picked yet
  Adjacency adjacency_;
  double mu_;
  GmmSchedule schedule_;
  std::vector<Clip> clips_;  // that a stage may choose of
  MomentFrame box_, frame_;
  std::vector<MomentNoise> noise_;  // of this stage, in lattice units
  std::vector<Class> classes_;
  std::vector<Clip> chosen_;  // by class, of this stage
  int stage_ = 0;
  double count_stddev_ = 0;
};

}  // namespace dpmix
