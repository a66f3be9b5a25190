// A logistic regression by proximal coordinate descent from noisy numbers. All of it is
// post-processing.
//
// Enters: noisy count, sums and squares of the columns of z, then of one coefficient after the
// other the gradient over rows seen from the frame that the fit asks for. Leaves: coefficients of
// (1, z); there are no covariances. A column is centred at its noisy mean and clipped at some of
// its deviations. Each step is that of Friedman, Hastie, Tibshirani 2010 with the curvature's bound
// rows / 4 times the column's variance: noise cannot make it too long.
#pragma once

#include "core/regression/coordinate_plan.hpp"
#include "core/regression/linear_fit.hpp"
#include "core/regression/logistic_frame.hpp"

namespace dpmix {

// Moments of the rows, in units of z: index 0 is the first column of z.
struct ColumnMoments {
  double rows = 0;
  std::vector<double> sums, squares;
};
// Where the moments of a coordinate descent are summed, by core/stats/class_moments.hpp. Its steps
// are a power of two, and no row is clipped: each column has a sensitivity of its own.
MomentFrame column_frame(const Design& design);
// exact: NULL when there is no row.
ColumnMoments noisy_columns(RandomStream& random, const MomentTotals::Class* exact,
                            const CoordinatePlan& plan);

class CoordinateFit {
 public:
  CoordinateFit(const ColumnMoments& moments, const CoordinatePlan& plan);

  bool done() const { return update_ >= plan_.updates(); }
  int coordinate() const {
    return static_cast<int>(update_ % (plan_.columns + 1));
  }  // 0: intercept
  // What the next update looks at: a row's slope at coordinate() is at most the resolution, all
  // others of its slopes are 0.
  LogisticFrame frame() const;
  // A sum of slopes at coordinate(), with noise.
  void step(double slope);

  LinearFit result() const;

 private:
  double intercept() const;  // of (1, z): not centred

  CoordinatePlan plan_;
  double rows_;
  std::vector<double> centre_, variance_, radius_;  // of the columns of (1, z)
  std::vector<double> at_, mean_;  // centred coefficients; their mean over the later passes
  std::int64_t update_ = 0;
};

}  // namespace dpmix
