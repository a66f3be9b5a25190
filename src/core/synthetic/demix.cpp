#include "core/synthetic/demix.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/algebra/cholesky.hpp"
#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"

namespace dpmix {

using Eigen::Index;
using Eigen::Lower;

Mixing mixing_of(const MixedClass& mixed) {
  return {static_cast<double>(mixed.mix), mixed.rate, mixed.noise()};
}

RowMoments::RowMoments(int features)
    : sum(Vector::Zero(features)),
      squares(Matrix::Zero(features, features)),
      pending_(features, block) {}

void RowMoments::add(const double* row) {
  pending_.col(waiting_++) = Eigen::Map<const Vector>(row, sum.size());
  if (waiting_ == block) flush();
}

void RowMoments::flush() {
  if (waiting_ == 0) return;  // Eigen divides by the number of columns
  const auto rows_waiting = pending_.leftCols(waiting_);
  sum += rows_waiting.rowwise().sum();
  squares.selfadjointView<Lower>().rankUpdate(rows_waiting);
  rows += waiting_;
  waiting_ = 0;
  poll();
}

namespace {

// Less noise than this, a millionth of a half width, is as good as none, and would only cost
// digits.
constexpr double least_noise = 0x1p-20;

double precision(const Mixing& mixing) {
  const double noise = std::max(mixing.noise, least_noise);
  return 1 / (noise * noise);
}

double signal(const Mixing& mixing) {
  return std::max(1 - mixing.rate, 0.) / mixing.mix * precision(mixing);
}

Matrix root_of(Matrix matrix) {
  auto root = cholesky(std::move(matrix));
  if (!root) throw std::logic_error("matrix is not positive definite");
  return *std::move(root);
}

}  // namespace

MixedSpread::MixedSpread(int features)
    : covariance_(Matrix::Zero(features, features)), unspread_(Matrix::Zero(features, features)) {}

Vector MixedSpread::add(const RowMoments& rows, const Mixing& mixing) {
  if (rows.rows == 0) return rows.sum;
  const auto count = static_cast<double>(rows.rows);
  Vector mean = rows.sum / count;
  const double freedom = count - 1, a = signal(mixing);
  if (freedom == 0 || a == 0) return mean;
  const double weight = precision(mixing);
  covariance_ += weight * rows.squares;
  poll();
  covariance_.selfadjointView<Lower>().rankUpdate(mean, -weight * count);
  unspread_.selfadjointView<Lower>().rankUpdate(mean, freedom * a);
  unspread_.diagonal().array() += freedom;
  freedom_ += freedom;
  records_ += freedom * a;
  precision_ += freedom * weight;
  return mean;
}

Demixing::Demixing(MixedSpread spread)
    : size_(spread.covariance_.rows()),
      signal_(spread.freedom_ > 0 ? spread.records_ / spread.freedom_ : 0),
      precision_(spread.freedom_ > 0 ? spread.precision_ / spread.freedom_ : 0) {
  if (signal_ == 0) return;
  Matrix root = std::move(spread.unspread_);
  root /= spread.freedom_;
  root = root_of(std::move(root));
  Matrix white = std::move(spread.covariance_);
  white /= spread.freedom_;
  poll();
  white = white.selfadjointView<Lower>();
  poll();
  white = solve_lower(root, std::move(white));
  white.transposeInPlace();
  poll();
  Spectrum spectrum = spectrum_of(solve_lower(root, std::move(white)));
  mixed_ = std::move(spectrum.values);
  back_ = product(root, spectrum.vectors);
  there_ = solve_transposed(root, std::move(spectrum.vectors));

  // A spike of population value l shows, out of noise of value 1, at l + ratio l / (l - 1).
  const double ratio = static_cast<double>(size_) / spread.freedom_;
  const double edge = std::pow(1 + std::sqrt(ratio), 2) * 1.02;
  records_ = Vector::Zero(size_);
  Vector even = Vector::Zero(size_);  // L^-1 L'^-1 along those that do not stand out
  double others = 0, excess = 0;
  for (Index i = 0; i < size_; ++i) {
    if (mixed_(i) > edge) {
      const double t = mixed_(i) + 1 - ratio;
      records_(i) = ((t + std::sqrt(t * t - 4 * mixed_(i))) / 2 - 1) / signal_;
    } else {
      even(i) = there_.col(i).squaredNorm();
      others += 1;
      excess += mixed_(i) - 1;
    }
  }
  if (others == 0) return;
  // Not less than the error of the excess: a class is not known to be flat, and a spread of 0 would
  // say so. But no more than the noise that the rows came with, or than fits the bounds.
  const double error = std::sqrt(2 * others / spread.freedom_);
  const double per_excess = 1 / (signal_ * even.sum());
  const double least = std::min(error * per_excess, 1 / precision_);
  const double variance = std::min(std::max(excess * per_excess, least), 1.);
  records_ += variance * even;
}

Matrix Demixing::map() const {
  if (signal_ == 0) return Matrix::Identity(size_, size_);
  // Directions in which rows have no spread stay so: there are fewer rows than coordinates.
  const Vector stretch =
      (mixed_.array() > 1e-9).select((precision_ * records_).cwiseQuotient(mixed_).cwiseSqrt(), 0);
  return product(back_ * stretch.asDiagonal(), there_.transpose());
}

Matrix Demixing::map(const Mixing& mixing, const Vector& mean) const {
  if (signal_ == 0) return Matrix::Identity(size_, size_);
  Matrix root = diagonal_congruence(back_, records_);
  root.diagonal().array() += 1e-14 * root.trace();  // rounding may leave it without a root
  Matrix mixed = root;
  mixed.selfadjointView<Lower>().rankUpdate(mean);
  const double a = signal(mixing) / precision(mixing);
  mixed *= a;
  mixed.diagonal().array() += 1 / precision(mixing);
  root = root_of(std::move(root));
  mixed = root_of(std::move(mixed));
  root.transposeInPlace();
  poll();
  root = solve_transposed(mixed, std::move(root));
  root.transposeInPlace();
  poll();
  return root;
}

}  // namespace dpmix
