#include "core/mixture/fit/place.hpp"

#include <algorithm>

#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"

namespace dpmix {
namespace {

// The least variance that a covariance with these eigenvalues may have. None of them is NaN.
double least_of(const Vector& variances) {
  return kLeastBoxVariance * std::max(variances.maxCoeff(), 1.);
}

}  // namespace

Matrix wide_covariance(const Matrix& covariance) {
  const Spectrum seen = spectrum_of(covariance, covariance.isDiagonal(0));
  const double least = least_of(seen.values);
  return seen.values.minCoeff() >= least ? covariance : seen.with(seen.values.cwiseMax(least));
}

Matrix wide_axes(const Matrix& axes) {
  const Spectrum seen = spectrum_of(product(axes, axes.transpose()), axes.isDiagonal(0));
  const double least = least_of(seen.values);
  if (seen.values.minCoeff() >= least) return axes;
  return seen.vectors * seen.values.cwiseMax(least).cwiseSqrt().asDiagonal();
}

void place_component(const Vector& mean, const Matrix& covariance, const MomentFrame& box,
                     GaussianMixture::Component& out) {
  const Matrix wide = wide_covariance(covariance);
  const auto d = static_cast<std::size_t>(box.features);
  const MomentFrame::Class& unit = box.classes.front();
  out.mean.resize(d);
  out.covariance.resize(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double x = unit.centre[i] + mean[row] / unit.whitening[i];
    out.mean[i] = std::clamp(x, box.lower[i], box.upper[i]);
    for (std::size_t j = 0; j <= i; ++j) {
      const double value =
          wide(row, static_cast<Eigen::Index>(j)) / unit.whitening[i] / unit.whitening[j];
      out.covariance[i * d + j] = out.covariance[j * d + i] = value;
    }
  }
}

MomentFrame::Class class_at(const MomentFrame& box, const Vector& centre, const Matrix& map,
                            bool diagonal) {
  const MomentFrame::Class& unit = box.classes.front();
  MomentFrame::Class out;
  const Eigen::Index d = centre.size();
  for (Eigen::Index i = 0; i < d; ++i) {
    const auto n = static_cast<std::size_t>(i);
    out.centre.push_back(
        std::clamp(unit.centre[n] + centre[i] / unit.whitening[n], box.lower[n], box.upper[n]));
    for (Eigen::Index j = diagonal ? i : 0; j < (diagonal ? i + 1 : d); ++j) {
      out.whitening.push_back(map(i, j) * unit.whitening[static_cast<std::size_t>(j)]);
    }
  }
  return out;
}

}  // namespace dpmix
