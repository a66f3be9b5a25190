// A Gaussian for each label, fitted to public points by what is known of their labels.
//
// Enters: points with weights, units of the box, and shares: of each point in each label. Leaves:
// components and shares, by EM. Deterministic.
#pragma once

#include <vector>

#include "core/algebra/matrix.hpp"
#include "core/input/mixture_frame.hpp"
#include "core/mixture/gaussian_mixture.hpp"
#include "core/stats/class_moments.hpp"

namespace dpmix {

class LabelledPoints {
 public:
  LabelledPoints() = default;
  // points: one in each column. shares: one row for each label; what columns lack to 1 has none.
  LabelledPoints(Matrix points, Vector weights, Matrix shares, CovarianceShape shape);

  void iterate(int times);  // of EM
  void expect();            // shares from components

  const Matrix& points() const { return points_; }
  const Vector& weights() const { return weights_; }
  const Matrix& shares() const { return shares_; }
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
    Vector mean;
    Matrix scatter;  // about the mean
  };
  const std::vector<Sums>& sums() const { return sums_; }
  const Matrix& shares_in_sums() const { return shares_in_sums_; }

 private:
  void maximise();
  void steady();

  CovarianceShape shape_ = CovarianceShape::full;
  Matrix points_, shares_, shares_in_sums_;
  std::vector<Sums> sums_;
  Vector weights_, labelled_;  // labelled: the part of each point that has a label
  GaussianMixture mixture_;
};

}  // namespace dpmix
