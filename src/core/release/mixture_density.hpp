// How likely a mixture makes a point, and which of its components did. Post-processing.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "core/release/gmm.hpp"

namespace dpmix {

class MixtureDensity {
 public:
  // Error PV005 unless the weights are positive and the covariances positive definite.
  explicit MixtureDensity(const GaussianMixture& mixture);

  std::size_t components() const { return components_.size(); }
  // ln(weight_k N(x; mean_k, covariance_k)) into out[k], for each component; returns the logarithm
  // of their sum, the log density at x. x: one entry per feature.
  double log_densities(const double* x, double* out) const;

 private:
  struct Component {
    Eigen::VectorXd mean;
    Eigen::MatrixXd inverse;  // of the Cholesky factor, lower triangular
    double constant;          // ln weight - ln det / 2 - d/2 ln 2 pi
  };
  std::vector<Component> components_;
};

// Log densities to probabilities that sum to 1, in place; total: their logarithmic sum.
void normalise(std::span<double> log_densities, double total);

}  // namespace dpmix
