#include "core/release/gmm_place.hpp"

#include <algorithm>

#include "core/release/gmm_spectrum.hpp"

namespace dpmix {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Of eigenvalues, none of them NaN.
double least_of(const Vector& variances) {
  return kLeastBoxVariance * std::max(variances.maxCoeff(), 1.);
}

}  // namespace

Matrix wide_covariance(const Matrix& covariance) {
  const Spectrum seen(covariance, covariance.isDiagonal(0));
  const double least = least_of(seen.values);
  return seen.values.minCoeff() >= least ? covariance : seen.with(seen.values.cwiseMax(least));
}

Matrix wide_axes(const Matrix& axes) {
  const Spectrum seen(axes * axes.transpose(), axes.isDiagonal(0));
  const double least = least_of(seen.values);
  if (seen.values.minCoeff() >= least) return axes;
  return seen.vectors * seen.values.cwiseMax(least).cwiseSqrt().asDiagonal();
}

void place_component(const Vector& mean, const Matrix& covariance, const MomentFrame& frame,
                     GaussianMixture::Component& out) {
  const Matrix wide = wide_covariance(covariance);
  const auto d = static_cast<std::size_t>(frame.features);
  const MomentFrame::Class& box = frame.classes.front();
  out.mean.resize(d);
  out.covariance.resize(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double x = box.centre[i] + mean[row] / box.whitening[i];
    out.mean[i] = std::clamp(x, frame.lower[i], frame.upper[i]);
    for (std::size_t j = 0; j <= i; ++j) {
      const double value =
          wide(row, static_cast<Eigen::Index>(j)) / box.whitening[i] / box.whitening[j];
      out.covariance[i * d + j] = out.covariance[j * d + i] = value;
    }
  }
}

}  // namespace dpmix
