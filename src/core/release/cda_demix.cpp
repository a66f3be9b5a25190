#include "core/release/cda_demix.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "core/poll.hpp"

namespace dpmix {

using Eigen::Lower;
using Eigen::MatrixXd;
using Eigen::SelfAdjointEigenSolver;
using Eigen::VectorXd;

RowMoments::RowMoments(int features)
    : sum(VectorXd::Zero(features)),
      squares(MatrixXd::Zero(features, features)),
      pending_(features, block) {}

void RowMoments::add(const double* row) {
  pending_.col(waiting_++) = Eigen::Map<const VectorXd>(row, sum.size());
  if (waiting_ == block) flush();
}

void RowMoments::flush() {
  const auto rows_waiting = pending_.leftCols(waiting_);
  sum += rows_waiting.rowwise().sum();
  squares.selfadjointView<Lower>().rankUpdate(rows_waiting);
  rows += waiting_;
  waiting_ = 0;
  poll();
}

MixedSpread::MixedSpread(int features)
    : covariance_(MatrixXd::Zero(features, features)), means_(MatrixXd::Zero(features, features)) {}

VectorXd MixedSpread::add(const RowMoments& rows, double mix, double rate, double noise) {
  const auto count = static_cast<double>(rows.rows);
  const VectorXd mean = rows.sum / count;
  if (!(rate < 1)) return mean;
  covariance_ += rows.squares;
  covariance_.selfadjointView<Lower>().rankUpdate(mean, -count);
  means_.selfadjointView<Lower>().rankUpdate(mean, count);
  rows_ += count;
  noise_ += count * noise * noise;
  stretch_ += count * (1 - rate) / mix;
  return mean;
}

MatrixXd MixedSpread::demixing_map() const {
  const Eigen::Index d = covariance_.rows();
  if (rows_ == 0) return MatrixXd::Zero(d, d);
  const double noise = noise_ / rows_, stretch = stretch_ / rows_;
  const SelfAdjointEigenSolver<MatrixXd> mixed(covariance_ / rows_);  // reads the lower triangle
  poll();
  const double edge = 1 + std::sqrt(static_cast<double>(d) / rows_);
  const double threshold = noise * edge * edge * 1.02;
  const Eigen::Index kept = (mixed.eigenvalues().array() > threshold).count();
  if (kept == 0) return MatrixXd::Zero(d, d);
  const auto directions = mixed.eigenvectors().rightCols(kept);  // eigenvalues ascend
  const VectorXd spread = mixed.eigenvalues().tail(kept);

  MatrixXd records = directions.transpose() * (means_.selfadjointView<Lower>() * directions);
  records /= -rows_;
  records.diagonal().array() += (spread.array() - noise) / stretch;
  const SelfAdjointEigenSolver<MatrixXd> restored(records);
  poll();
  const VectorXd deviation = restored.eigenvalues().cwiseMax(0).cwiseSqrt();
  const MatrixXd root =
      restored.eigenvectors() * deviation.asDiagonal() * restored.eigenvectors().transpose();
  const VectorXd shrink = spread.cwiseSqrt().cwiseInverse();
  return directions * root * shrink.asDiagonal() * directions.transpose();
}

}  // namespace dpmix
