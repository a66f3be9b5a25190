#include "core/synthetic/demix.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/poll.hpp"

namespace dpmix {

using Eigen::Index;
using Eigen::Lower;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Mixing mixing_of(const MixedClass& mixed) {
  return {static_cast<double>(mixed.mix), mixed.rate, mixed.noise()};
}

RowMoments::RowMoments(int features)
    : sum(VectorXd::Zero(features)),
      squares(MatrixXd::Zero(features, features)),
      pending_(features, block) {}

void RowMoments::add(const double* row) {
  pending_.col(waiting_++) = Eigen::Map<const VectorXd>(row, sum.size());
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

}  // namespace

MixedSpread::MixedSpread(int features)
    : covariance_(MatrixXd::Zero(features, features)),
      unspread_(MatrixXd::Zero(features, features)) {}

VectorXd MixedSpread::add(const RowMoments& rows, const Mixing& mixing) {
  if (rows.rows == 0) return rows.sum;
  const auto count = static_cast<double>(rows.rows);
  VectorXd mean = rows.sum / count;
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
  MatrixXd root = std::move(spread.unspread_);
  root /= spread.freedom_;
  polled_cholesky(root);
  MatrixXd white = std::move(spread.covariance_);
  white /= spread.freedom_;
  poll();
  white = white.selfadjointView<Lower>();
  poll();
  polled_solve(root, white);
  white.transposeInPlace();
  poll();
  polled_solve(root, white);
  PolledEigen eigen = polled_eigen(std::move(white));
  mixed_ = std::move(eigen.values);
  back_ = polled_product(root, eigen.vectors);
  there_ = std::move(eigen.vectors);
  polled_solve_transposed(root, there_);

  // A spike of population value l shows, out of noise of value 1, at l + ratio l / (l - 1).
  const double ratio = static_cast<double>(size_) / spread.freedom_;
  const double edge = std::pow(1 + std::sqrt(ratio), 2) * 1.02;
  records_ = VectorXd::Zero(size_);
  VectorXd even = VectorXd::Zero(size_);  // L^-1 L'^-1 along those that do not stand out
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

MatrixXd Demixing::map() const {
  if (signal_ == 0) return MatrixXd::Identity(size_, size_);
  // Without any spread: there are fewer rows than coordinates.
  const VectorXd stretch =
      (mixed_.array() > 1e-9).select((precision_ * records_).cwiseQuotient(mixed_).cwiseSqrt(), 0);
  return polled_product(back_ * stretch.asDiagonal(), there_.transpose());
}

MatrixXd Demixing::map(const Mixing& mixing, const VectorXd& mean) const {
  if (signal_ == 0) return MatrixXd::Identity(size_, size_);
  MatrixXd root = polled_product(back_ * records_.asDiagonal(), back_.transpose());
  root.diagonal().array() += 1e-14 * root.trace();  // rounding may leave it without a root
  MatrixXd mixed = root;
  mixed.selfadjointView<Lower>().rankUpdate(mean);
  const double a = signal(mixing) / precision(mixing);
  mixed *= a;
  mixed.diagonal().array() += 1 / precision(mixing);
  polled_cholesky(root);
  polled_cholesky(mixed);
  root.transposeInPlace();
  poll();
  polled_solve_transposed(mixed, root);
  root.transposeInPlace();
  poll();
  return root;
}

}  // namespace dpmix
