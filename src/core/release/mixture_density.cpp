#include "core/release/mixture_density.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"

namespace dpmix {

MixtureDensity::MixtureDensity(const GaussianMixture& mixture) {
  const Eigen::Index d = mixture.features;
  for (const GaussianMixture::Component& c : mixture.components) {
    const Eigen::LLT<Eigen::MatrixXd> llt(
        Eigen::Map<const Eigen::MatrixXd>(c.covariance.data(), d, d));
    if (!(c.weight > 0) || llt.info() != Eigen::Success) {
      throw Error(ErrorCode::invalid_parameter, "invalid mixture",
                  "A weight is not positive or a covariance is not positive definite.",
                  "Release the mixture again.");
    }
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(d, d);
    llt.matrixL().solveInPlace(inverse);
    const double log_det = inverse.diagonal().array().log().sum();  // of the inverse factor
    components_.push_back({Eigen::Map<const Eigen::VectorXd>(c.mean.data(), d), std::move(inverse),
                           std::log(c.weight) + log_det -
                               static_cast<double>(d) / 2 * std::log(2 * std::numbers::pi)});
  }
}

double MixtureDensity::log_densities(const double* x, double* out) const {
  double most = -HUGE_VAL;
  for (std::size_t k = 0; k < components_.size(); ++k) {
    const Component& c = components_[k];
    const auto d = c.mean.size();
    double square = 0;
    for (Eigen::Index i = 0; i < d; ++i) {
      double z = 0;
      for (Eigen::Index j = 0; j <= i; ++j) z += c.inverse(i, j) * (x[j] - c.mean[j]);
      square += z * z;
    }
    out[k] = c.constant - square / 2;
    most = std::max(most, out[k]);
  }
  if (most == -HUGE_VAL) return most;
  double sum = 0;
  for (std::size_t k = 0; k < components_.size(); ++k) sum += std::exp(out[k] - most);
  return most + std::log(sum);
}

void normalise(std::span<double> log_densities, double total) {
  // Infinitely far from every component: nothing tells them apart.
  if (!std::isfinite(total)) {
    std::fill(log_densities.begin(), log_densities.end(),
              1 / static_cast<double>(log_densities.size()));
    return;
  }
  for (double& v : log_densities) v = std::exp(v - total);
}

}  // namespace dpmix
