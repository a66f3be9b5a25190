// A logistic regression from noisy sums, pass by pass. All of it is post-processing.
//
// Enters: noisy moments of (1, z, y), then of each pass the gradient and the information of rows
// seen from the frame that the fit asks for. Leaves: coefficients of (1, z), and covariances of
// their errors. It starts from the linear discriminant. Where the noise hides the information, its
// eigenvalues are raised towards rows / 4, which no information exceeds (Bohning and Lindsay 1988):
// a step then is too short, never too long.
#pragma once

#include "core/regression/linear_fit.hpp"
#include "core/regression/logistic_frame.hpp"
#include "core/regression/logistic_plan.hpp"

namespace dpmix {

class LogisticFit {
 public:
  LogisticFit(const Matrix& gram, const LogisticPlan& plan);

  // What the next pass looks at: the frame of (1, z) for its class, and its coefficients.
  MomentFrame::Class seen() const;
  const std::vector<double>& coefficients() const { return coefficients_; }
  // slope, information: as noisy_slope() and noisy_information() leave them.
  void step(const Vector& slope, const Matrix& information, const LogisticNoise& noise);

  // The fit after the last pass. It has no covariances where the noise hides some of the
  // information: what is off there moves all coefficients.
  LinearFit result() const;

 private:
  void move_to(const Vector& coefficients);

  double rows_, radius_;
  double alike_;      // rows of a unit, whose errors may all be the same
  Matrix whitening_;  // its transpose sees rows
  Vector at_;         // coefficients of (1, z), whole multiples of LogisticFrame::unit
  std::vector<double> coefficients_;
  Matrix noise_, covariance_;  // of the last step's error, whitened; without rows: not known
};

// The frame of a pass over the rows of all classes.
LogisticFrame frame_of(const std::vector<LogisticFit>& classes, int features);

}  // namespace dpmix
