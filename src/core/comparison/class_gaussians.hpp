// What a comparison learns from a table: a Gaussian for each class of its label, which classifies
// rows, or one for all of them, whose density rows are scored by.
//
// Enters: moments in the box of public bounds. Leaves: a classifier as the constant argument of
// class_clusters, defined for every row; a mean log density. A function of what it is learnt
// from, nothing more.
#pragma once

#include <optional>
#include <vector>

#include "core/algebra/matrix.hpp"
#include "core/input/moment_frame.hpp"
#include "core/mixture/fit/moments.hpp"
#include "core/stats/class_moments.hpp"

namespace dpmix {

// moments: by class, of the frame `box`. A class's covariance counts as much of the mean one within
// classes as d + 1 rows would carry, plus a ridge; a class without rows is never taken. Empty when
// no class has a row.
std::vector<double> class_gaussians(const MomentTotals& moments, const MomentFrame& box);

class GaussianModel {
 public:
  // nullopt when there is less than one row. The same ridge.
  static std::optional<GaussianModel> fit(const NoisyMoments& moments, const MomentFrame& box);
  // The mean log density of rows with these moments, in nats; densities are in the units of the
  // features. NAN when there is less than one row.
  double mean_log_density(const NoisyMoments& moments) const;

 private:
  Vector mean_;
  Matrix precision_;
  double constant_ = 0;
};

}  // namespace dpmix
