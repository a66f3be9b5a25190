#include "core/regression/linear_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/algebra/cholesky.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/regression/shrinkage.hpp"

namespace dpmix {
namespace {

constexpr double least_variance = 1e-6;  // of a residual: the noise may leave less than none
// What the least eigenvalue must be, in deviations of the noise in a square, for normal intervals:
// with less, errors of nearly collinear terms are not what a linearisation says they are. Measured.
constexpr double least_told = 12;

// The covariance of the noise in (noisy matrix) (-coefficients, 1).
Matrix residual_noise(const Vector& b, const RegressionPlan& plan) {
  const Eigen::Index p = b.size();
  const Matrix unit = Matrix::Identity(p, p);
  if (plan.part == ProtectedPart::target) {
    return plan.noise.target_product * plan.noise.target_product * unit;
  }
  const double half = plan.noise.product * plan.noise.product;  // of the variance of a square
  return half * ((1 + b.squaredNorm()) * unit + b * b.transpose());
}

// Errors of a unit's rows may be as alike as can be: then its rows tell no more than one does, and
// the residual is as much too small.
double degrees_left(const Matrix& gram, const RegressionPlan& plan) {
  return std::max(gram(0, 0) - plan.rows_per_unit * static_cast<double>(gram.rows() - 1), 1.);
}

}  // namespace

// 1.1 times the spectral norm that the noise tends to; of an exact matrix, so much that products of
// rows in double are not lost.
double least_eigenvalue(const RegressionPlan& plan, Eigen::Index p, double largest) {
  return std::max(1.1 * std::sqrt(2. * static_cast<double>(p)) * plan.noise.square,
                  1e-10 * std::max(largest, 1.));
}

LinearFit fit_settled(const Matrix& gram, const RegressionPlan& plan) {
  const Eigen::Index p = gram.rows() - 1;
  const Matrix g = gram.topLeftCorner(p, p);
  const Vector xy = gram.topRightCorner(p, 1);
  LinearFit fit;
  fit.rows = std::max(gram(0, 0), 0.);
  const Spectrum spectrum = spectrum_of(g);
  fit.ridge = std::max(0., least_eigenvalue(plan, p, spectrum.values[p - 1]) - spectrum.values[0]);
  const Matrix settled = g + fit.ridge * Matrix::Identity(p, p);
  const std::optional<Matrix> factor = cholesky(settled);
  if (!factor) {  // unless its least eigenvalue was lost in rounding
    fit.ridge = std::max(fit.ridge, least_variance);
    fit.coefficients = Vector::Zero(p);
    return fit;
  }
  fit.coefficients = solve_cholesky(*factor, xy);
  const Vector& b = fit.coefficients;
  const double residual = gram(p, p) - 2 * b.dot(xy) + b.dot(g * b);
  const double degrees = degrees_left(gram, plan);
  if (fit.ridge > 0 || spectrum.values[0] < least_told * plan.noise.square) {
    fit.variance = std::max(residual, least_variance) / degrees;
    return fit;
  }
  const Matrix inverse = solve_cholesky(*factor, Matrix::Identity(p, p));
  const Matrix noise = residual_noise(b, plan);
  const double lost = (inverse * noise).trace();  // of the residual's sum of squares, by the noise
  fit.variance = std::max(residual + lost, least_variance) / degrees;
  fit.noise_covariance = inverse * noise * inverse;
  fit.covariance = fit.noise_covariance + plan.rows_per_unit * fit.variance * inverse;
  return fit;
}

LinearFit fit_linear(const Matrix& gram, const RegressionPlan& plan) {
  const Eigen::Index p = gram.rows() - 1;
  LinearFit fit = fit_settled(gram, plan);
  const ShrunkFit shrunk = shrunk_fit(gram, plan);
  fit.unshrunk = fit.coefficients;
  fit.coefficients = shrunk.coefficients;
  if (fit.has_intervals() || plan.part == ProtectedPart::target) return fit;
  Vector a(p + 1);
  a << -fit.coefficients, 1;
  // Of y in [-1, 1], so at most 1.
  const double residual = a.dot(gram * a) + shrunk.followed;
  fit.variance = std::clamp(residual / degrees_left(gram, plan), least_variance, 1.);
  fit.sums = {gram.topLeftCorner(p, p), gram.topRightCorner(p, 1),
              plan.noise.product * plan.noise.product, fit.variance,
              static_cast<double>(plan.rows_per_unit)};
  return fit;
}

std::vector<Coefficient> coefficients_of(const LinearFit& fit, const Design& design,
                                         RegressionKind kind) {
  const Matrix map = design.map().transpose();
  const bool linear = kind == RegressionKind::linear;
  const double half = linear ? design.target_half() : 1;
  const auto in_units = [&](const Vector& coded) {
    Vector b = half * (map * coded);
    if (linear) b[0] += design.target_centre();
    return b;
  };
  const Vector estimate = in_units(fit.coefficients);
  const Vector centre = fit.unshrunk.size() > 0 ? in_units(fit.unshrunk) : estimate;
  const auto deviation = [&](const Matrix& covariance, Eigen::Index i) {
    if (!fit.has_intervals()) return std::numeric_limits<double>::quiet_NaN();
    const auto row = map.row(i);
    return half * std::sqrt(std::max((row * covariance).dot(row), 0.));
  };
  std::vector<Coefficient> all;
  for (Eigen::Index i = 0; i < estimate.size(); ++i) {
    all.push_back(
        {estimate[i], centre[i], deviation(fit.noise_covariance, i), deviation(fit.covariance, i)});
  }
  return all;
}

}  // namespace dpmix
