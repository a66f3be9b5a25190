// Coefficients drawn towards "no effect" as far as the noise leaves them open. Post-processing.
//
// Enters: noisy sums of (1, z, y)(1, z, y)', and the deviations of their noise. Leaves: the mean of
// the coefficients' posterior. A prior says that there is no effect, or that effects are of one
// size, which the sums themselves tell (Bernstein and Sheldon 2019), but for directions in which
// they are larger or smaller (half-Cauchy: Carvalho, Polson, Scott 2010). The intercept is not
// drawn: without any effect, what is predicted is the noisy mean. Where the noise is small, these
// are least squares. Measured: docs/proofs/regression_exact_sets.md.
#pragma once

#include "core/regression/plan.hpp"

namespace dpmix {

struct ShrunkFit {
  Vector coefficients;  // of (1, z)
  // By how much the noisy residual sum of squares is too small on average, since coefficients
  // follow the noise.
  double followed = 0;
};

ShrunkFit shrunk_fit(const Matrix& gram, const RegressionPlan& plan);

}  // namespace dpmix
