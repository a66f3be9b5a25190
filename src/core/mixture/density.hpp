// How likely a mixture makes a point, and which of its components did. Post-processing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

// All that a density needs, in plain numbers that somebody owns, so that a host can keep it in its
// own memory. Of each component, one after the other: ln weight - ln det / 2 - d/2 ln 2 pi; the
// mean (d); the inverse of the covariance's Cholesky factor, lower triangle row by row.
struct DensityTable {
  const double* numbers;
  std::size_t features, components;

  static std::size_t component_size(std::size_t d) { return 1 + d + d * (d + 1) / 2; }
  std::size_t size() const { return components * component_size(features); }
};

// ln(weight_k N(x; mean_k, covariance_k)) into out[k], for each component; returns the logarithm
// of their sum, the log density at x: -infinity where x is too far from all of them for a double.
// x: one entry per feature, no NaN.
double log_densities(const DensityTable& table, const double* x, double* out) noexcept;

class MixtureDensity {
 public:
  // Error PV005 unless the weights are positive and the covariances positive definite.
  explicit MixtureDensity(const GaussianMixture& mixture);

  std::size_t components() const { return components_; }
  DensityTable table() const { return {numbers_.data(), features_, components_}; }  // owned here
  double log_densities(const double* x, double* out) const {
    return dpmix::log_densities(table(), x, out);
  }

 private:
  std::size_t features_, components_;
  std::vector<double> numbers_;
};

// Log densities to probabilities that sum to 1, in place; total: their logarithmic sum.
void normalise(std::span<double> log_densities, double total) noexcept;

}  // namespace dpmix
