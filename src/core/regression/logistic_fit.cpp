#include "core/regression/logistic_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"

namespace dpmix {
namespace {

constexpr auto resolution = static_cast<double>(MomentFrame::max_resolution);
constexpr double largest_step = 2;          // of scores, on average over rows
constexpr double last_step = .5;            // with more, nobody knows what the last one leaves
constexpr double least_information = .001;  // of a row
// What an eigenvalue of the information must be of its noise's spectral norm: then the steps before
// the last are forgotten well enough.
constexpr double visible = 2.5;
// By so many deviations of its noise the information is counted less, for errors: releases that
// have intervals are rather those whose noise made it larger.
constexpr double counted_less = 1.645;

double spectral_norm(double square, Eigen::Index p) {
  return std::sqrt(2. * static_cast<double>(p)) * square;
}

// Rows are clipped beyond this distance. On average a squared distance is p; as far as neither
// noise comes to matter, none should be clipped.
double radius_of(double rows, const LogisticPlan& plan, Eigen::Index p) {
  const LogisticNoise& last = plan.pass.back();
  const double slope = last.slope / resolution, square = last.square / resolution / resolution / 4;
  double free = .15 * std::sqrt(rows) / slope;
  if (square > 0) free = std::min(free, std::sqrt(.01 * rows / spectral_norm(square, p)));
  // Beyond the limit steps of the lattice would come to matter.
  const double limit = 16 * std::sqrt(static_cast<double>(p));
  return std::max(std::min(free, limit), std::sqrt(2.25 * static_cast<double>(p) + 8));
}

// The linear discriminant of two classes, from least squares of y = -1 or 1; of a y in between, as
// if it were drawn from these with its own as the mean.
Vector discriminant(const LinearFit& fit, double mean, double square) {
  const double m = std::clamp(mean, -.99, .99), variance = 1 - m * m;
  const double residual = fit.variance + std::max(1 - square, 0.);
  const double unexplained = std::clamp(residual / variance, .2, 1.);
  const double k = 2 / (variance * unexplained);
  Vector b = k * fit.coefficients;
  b[0] += std::log((1 + m) / (1 - m)) - k * unexplained * m;
  return b;
}

}  // namespace

LogisticFit::LogisticFit(const Matrix& gram, const LogisticPlan& plan) {
  const Eigen::Index p = gram.rows() - 1;
  rows_ = std::max(gram(0, 0), 1.);
  alike_ = plan.moments.rows_per_unit;
  const Spectrum spectrum = spectrum_of(gram.topLeftCorner(p, p));
  const double least = least_eigenvalue(plan.moments, p, spectrum.values[p - 1]);
  whitening_ = spectrum.vectors *
               (spectrum.values.cwiseMax(least) / rows_).cwiseSqrt().cwiseInverse().asDiagonal();
  radius_ = radius_of(rows_, plan, p);
  move_to(discriminant(fit_settled(gram, plan.moments), gram(0, p) / rows_, gram(p, p) / rows_));
}

void LogisticFit::move_to(const Vector& coefficients) {
  at_ = coefficients;
  coefficients_.clear();
  for (double& b : at_) {
    coefficients_.push_back(std::clamp(std::round(b / LogisticFrame::unit),
                                       -LogisticFrame::most_units, LogisticFrame::most_units));
    b = coefficients_.back() * LogisticFrame::unit;
  }
}

MomentFrame::Class LogisticFit::seen() const {
  MomentFrame::Class seen;
  const auto p = static_cast<std::size_t>(at_.size());
  seen.radius = radius_;
  seen.centre.assign(p, 0);
  seen.whitening.assign(whitening_.data(), whitening_.data() + p * p);  // columns: its transpose
  return seen;
}

void LogisticFit::step(const Vector& slope, const Matrix& information, const LogisticNoise& noise) {
  const Eigen::Index p = at_.size();
  const double unit = radius_ / resolution;
  const Spectrum spectrum = spectrum_of(information * (unit * unit / 4));
  const double hides = spectral_norm(noise.square * unit * unit / 4, p);
  const Vector values = spectrum.values.cwiseMax(std::max(hides, least_information * rows_))
                            .cwiseMin(std::max(rows_ / 4, 1.));
  Vector move =
      -(spectrum.vectors * (spectrum.vectors.transpose() * slope * unit).cwiseQuotient(values));
  const double length = move.norm();
  if (length > largest_step) move *= largest_step / length;
  move_to(at_ + whitening_ * move);

  noise_ = covariance_ = Matrix();
  const double limit = std::max(visible * hides, least_information * rows_);
  if (spectrum.values[0] < limit || length > last_step) return;
  // What Newton's step leaves is of the square of its length.
  const double left = length * length;
  // A row is rounded by half a step on average, in directions that about cancel.
  const double deviation = std::hypot(noise.slope, rows_ / 4) * unit;
  const double less = counted_less * noise.square * unit * unit / 4;
  const Vector inverse = (values.array() - less).inverse();  // far above 0: values are visible
  const Vector errors =
      (deviation * inverse).array().square() + left * left / static_cast<double>(p);
  noise_ = spectrum.with(errors);
  covariance_ = spectrum.with(errors + alike_ * inverse);
}

LinearFit LogisticFit::result() const {
  LinearFit fit;
  fit.rows = rows_;
  fit.coefficients = at_;
  if (covariance_.rows() == 0) return fit;
  fit.noise_covariance = whitening_ * noise_ * whitening_.transpose();
  fit.covariance = whitening_ * covariance_ * whitening_.transpose();
  return fit;
}

LogisticFrame frame_of(const std::vector<LogisticFit>& classes, int features) {
  LogisticFrame frame;
  const auto p = static_cast<std::size_t>(features);
  frame.seen.features = features;
  frame.seen.lower.assign(p, -1);
  frame.seen.upper.assign(p, 1);
  for (const LogisticFit& fit : classes) {
    frame.seen.classes.push_back(fit.seen());
    frame.coefficients.insert(frame.coefficients.end(), fit.coefficients().begin(),
                              fit.coefficients().end());
  }
  frame.check();
  return frame;
}

}  // namespace dpmix
