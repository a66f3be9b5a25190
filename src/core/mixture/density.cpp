#include "core/mixture/density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/algebra/cholesky.hpp"
#include "core/base/refuse_parameter.hpp"

namespace dpmix {

MixtureDensity::MixtureDensity(const GaussianMixture& mixture)
    : features_(static_cast<std::size_t>(mixture.features)),
      components_(mixture.components.size()) {
  const Eigen::Index d = mixture.features;
  numbers_.reserve(components_ * DensityTable::component_size(features_));
  for (const GaussianMixture::Component& c : mixture.components) {
    const auto root = cholesky(Eigen::Map<const Matrix>(c.covariance.data(), d, d));
    if (!(c.weight > 0) || !root) {
      refuse_parameter("invalid mixture",
                       "A weight is not positive or a covariance is not positive definite.",
                       "Release the mixture again.");
    }
    const Matrix inverse = inverse_of_lower(*root);
    numbers_.push_back(std::log(c.weight) - log_determinant(*root) -
                       static_cast<double>(d) / 2 * std::log(2 * std::numbers::pi));
    numbers_.insert(numbers_.end(), c.mean.begin(), c.mean.end());
    for (Eigen::Index i = 0; i < d; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) numbers_.push_back(inverse(i, j));
    }
  }
}

double log_densities(const DensityTable& table, const double* x, double* out) noexcept {
  const std::size_t d = table.features;
  const double* number = table.numbers;
  double most = -HUGE_VAL;
  for (std::size_t k = 0; k < table.components; ++k) {
    const double constant = *number++;
    const double* mean = number;
    number += d;
    double square = 0;
    for (std::size_t i = 0; i < d; ++i) {
      double z = 0;
      for (std::size_t j = 0; j <= i; ++j) z += *number++ * (x[j] - mean[j]);
      square += z * z;
    }
    out[k] = square < HUGE_VAL ? constant - square / 2 : -HUGE_VAL;  // also of an infinite x
    most = std::max(most, out[k]);
  }
  if (most == -HUGE_VAL) return most;
  double sum = 0;
  for (std::size_t k = 0; k < table.components; ++k) sum += std::exp(out[k] - most);
  return most + std::log(sum);
}

void normalise(std::span<double> log_densities, double total) noexcept {
  // Infinitely far from every component: nothing tells them apart.
  if (!std::isfinite(total)) {
    std::fill(log_densities.begin(), log_densities.end(),
              1 / static_cast<double>(log_densities.size()));
    return;
  }
  for (double& v : log_densities) v = std::exp(v - total);
}

}  // namespace dpmix
