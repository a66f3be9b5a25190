#include "core/mixture/linear.hpp"

#include <algorithm>
#include <cmath>

#include "core/algebra/spectrum.hpp"

namespace dpmix {
namespace {

// Eigenvalues of correlations below it are rounding: features that say the same share what they
// say.
constexpr double least_eigenvalue = 1e-12;

}  // namespace

LinearMoments moments_of(const GaussianMixture::Component& component) {
  const auto d = static_cast<Eigen::Index>(component.mean.size());
  return {Eigen::Map<const Vector>(component.mean.data(), d),
          Eigen::Map<const Matrix>(component.covariance.data(), d, d)};
}

LinearMoments moments_of(const GaussianMixture& mixture) {
  LinearMoments whole = {Vector::Zero(mixture.features),
                         Matrix::Zero(mixture.features, mixture.features)};
  for (const GaussianMixture::Component& c : mixture.components) {
    whole.mean += c.weight * moments_of(c).mean;
  }
  for (const GaussianMixture::Component& c : mixture.components) {
    const LinearMoments of = moments_of(c);
    const Vector away = of.mean - whole.mean;
    whole.covariance += c.weight * (of.covariance + away * away.transpose());
  }
  return whole;
}

Matrix correlations_of(const LinearMoments& moments) {
  const Vector deviations = moments.covariance.diagonal().cwiseSqrt();
  Matrix correlations = moments.covariance;
  for (Eigen::Index j = 0; j < correlations.cols(); ++j) {
    for (Eigen::Index i = 0; i < correlations.rows(); ++i) {
      const double r = correlations(i, j) / deviations(i) / deviations(j);
      correlations(i, j) = i == j ? 1 : std::clamp(r, -1., 1.);
    }
  }
  return correlations;
}

Vector linear_prediction(const LinearMoments& moments, int target) {
  const Eigen::Index others = moments.mean.size() - 1;
  const auto other = [&](Eigen::Index i) { return i < target ? i : i + 1; };
  const Matrix all = correlations_of(moments);
  Matrix between(others, others);
  Vector with_target(others);
  for (Eigen::Index j = 0; j < others; ++j) {
    with_target(j) = all(other(j), target);
    for (Eigen::Index i = 0; i < others; ++i) between(i, j) = all(other(i), other(j));
  }
  const Spectrum spectrum = spectrum_of(between);
  const Vector along = spectrum.vectors.transpose() * with_target;
  const Vector standardised =
      spectrum.vectors * along.cwiseQuotient(spectrum.values.cwiseMax(least_eigenvalue));
  Vector prediction(1 + others);
  prediction(0) = moments.mean(target);
  for (Eigen::Index i = 0; i < others; ++i) {
    prediction(1 + i) = standardised(i) * std::sqrt(moments.covariance(target, target) /
                                                    moments.covariance(other(i), other(i)));
    prediction(0) -= prediction(1 + i) * moments.mean(other(i));
  }
  return prediction;
}

}  // namespace dpmix
