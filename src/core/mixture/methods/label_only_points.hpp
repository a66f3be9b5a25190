// A Gaussian for each label, fitted to public points by what is known of their labels.
//
// Enters: points with weights, units of the box, and shares: of each point in each label. Leaves:
// components and shares, by EM. Deterministic.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/input/mixture_frame.hpp"
#include "core/mixture/gaussian_mixture.hpp"
#include "core/stats/class_moments.hpp"

namespace dpmix {

class LabelledPoints {
 public:
  LabelledPoints() = default;
  // points: one in each column. shares: one row for each label; what columns lack to 1 has none.
  LabelledPoints(Eigen::MatrixXd points, Eigen::VectorXd weights, Eigen::MatrixXd shares,
                 CovarianceShape shape);

  void iterate(int times);  // of EM
  void expect();            // shares from components

  const Eigen::MatrixXd& points() const { return points_; }
  const Eigen::VectorXd& weights() const { return weights_; }
  const Eigen::MatrixXd& shares() const { return shares_; }
  GaussianMixture& mixture() { return mixture_; }
  const GaussianMixture& mixture() const { return mixture_; }

  // The components as ones that rows may belong to. box: box_frame of the features.
  MixtureFrame frame(const MomentFrame& box) const;
  // One iteration over all rows. exact: of frame(box).
  void refine(const MomentTotals& exact, const MixtureFrame& frame);
  // Sums over all rows of the last such pass, box units, and the points' shares in it; empty
  // before. They say what the points, a sample, cannot.
  struct Sums {
    double rows;
    Eigen::VectorXd mean;
    Eigen::MatrixXd scatter;  // about the mean
  };
  const std::vector<Sums>& sums() const { return sums_; }
  const Eigen::MatrixXd& shares_in_sums() const { return shares_in_sums_; }

 private:
  void maximise();
  void steady();

  CovarianceShape shape_ = CovarianceShape::full;
  Eigen::MatrixXd points_, shares_, shares_in_sums_;
  std::vector<Sums> sums_;
  Eigen::VectorXd weights_, labelled_;  // labelled: the part of each point that has a label
  GaussianMixture mixture_;
};

}  // namespace dpmix
