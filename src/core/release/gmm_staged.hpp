// The staged release of labelled Gaussian mixtures: each stage looks at the rows of a class from
// where the released numbers of the stages before say that the class is, so that its noise has the
// shape of the class.
//
// Enters: bounds, classes, adjacency and a Gaussian-DP parameter mu, all public; then, stage by
// stage, the exact integer statistics that it asks for:
//   1 counts and sums in the box     where each class is
//   2 distances from there           how wide it is
//   3.. counts, sums and products of whitened, clipped rows
// Leaves: noisy statistics, mu-GDP all stages together (docs/proofs/gmm_staged.md), and the mixture
// that post-processing makes of them, always valid.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "core/adjacency.hpp"
#include "core/input/frame.hpp"
#include "core/random/stream.hpp"
#include "core/release/gmm.hpp"
#include "core/release/gmm_moments.hpp"
#include "core/stats/class_moments.hpp"
#include "core/stats/distance_histogram.hpp"

namespace dpmix {

class StagedGmm {
 public:
  static constexpr int stages = 6;

  // Error PV005 as plan_gmm. mu > 0.
  StagedGmm(const std::vector<double>& lower, const std::vector<double>& upper, int classes,
            CovarianceShape shape, Adjacency adjacency, double mu);

  bool done() const { return stage_ == stages; }
  bool wants_distances() const { return stage_ == 1; }
  // What the next statistics are of.
  const MomentFrame& frame() const { return frame_; }
  std::vector<std::int64_t> edges() const;  // squared, in lattice steps
  // Deviations of the noise they will get, in lattice units: moments by class, each distance bin.
  const std::vector<MomentNoise>& noise() const { return noise_; }
  double distance_noise() const;
  // How far neighbours may move them, in those deviations: mu^2 is shared among the stages.
  double stage_mu() const;

  // The exact statistics of frame(); noise is added here.
  void take(RandomStream& random, const MomentTotals& exact);
  void take(RandomStream& random, const DistanceHistogram& exact);

  // When done.
  GmmFit fit(GmmObjective objective) const;

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  // What is known of a class, seen from centre + axes z; box units.
  struct Class {
    Vector centre;
    Matrix axes;
    double mean_variance;               // of the centre, per coordinate of z
    Matrix covariance;                  // of the rows, in z
    double covariance_variance;         // of each of its entries
    double counted = 0, precision = 0;  // noisy counts by their precision, and its sum
    double rows() const { return counted / precision; }
    double rows_noise() const { return 1 / std::sqrt(precision); }
    double divisor() const { return std::max({rows(), rows_noise(), 1.}); }
    void count(double rows, double noise);
  };

  double unit_noise() const;  // deviation of this stage's noise on a statistic of sensitivity 1
  void look_from_box();
  void look_whitened();
  std::vector<NoisyMoments> noisy(RandomStream& random, const MomentTotals& exact) const;
  void locate(const std::vector<NoisyMoments>& moments);
  void refine(const std::vector<NoisyMoments>& moments);
  void rewhiten(Class& c) const;

  int features_;
  CovarianceShape shape_;
  Adjacency adjacency_;
  double mu_;
  MomentFrame box_, frame_;
  std::vector<MomentNoise> noise_;  // of this stage, in lattice units
  std::vector<Class> classes_;
  int stage_ = 0;
};

}  // namespace dpmix
