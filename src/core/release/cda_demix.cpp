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

MixedMoments moments_of(const RowMoments& rows, double mix, double rate, double noise) {
  const auto count = static_cast<double>(rows.rows);
  const VectorXd mean = rows.sum / count;
  MatrixXd covariance = rows.squares / count;
  covariance.selfadjointView<Lower>().rankUpdate(mean, -1);
  return {rows.rows, mix, rate, noise, mean, covariance};
}

MatrixXd demixing_map(std::span<const MixedMoments> classes) {
  const Eigen::Index d = classes.front().mean.size();
  double rows = 0;
  for (const MixedMoments& c : classes) rows += static_cast<double>(c.rows);
  MatrixXd covariance = MatrixXd::Zero(d, d);
  MatrixXd means = MatrixXd::Zero(d, d);  // pooled m m'
  double noise = 0, stretch = 0;          // pooled variance and (1 - rate) / mix
  for (const MixedMoments& c : classes) {
    const double share = static_cast<double>(c.rows) / rows;
    covariance += share * c.covariance;
    means.selfadjointView<Lower>().rankUpdate(c.mean, share);
    noise += share * c.noise * c.noise;
    stretch += share * (1 - c.rate) / c.mix;
  }
  MatrixXd map = MatrixXd::Zero(d, d);
  if (!(stretch > 0)) return map;  // every record joined every row: no spread to restore

  const SelfAdjointEigenSolver<MatrixXd> mixed(covariance);  // reads the lower triangle
  poll();
  const double edge = 1 + std::sqrt(static_cast<double>(d) / rows);
  const double threshold = noise * edge * edge * 1.02;
  const Eigen::Index kept = (mixed.eigenvalues().array() > threshold).count();
  if (kept == 0) return map;
  const auto directions = mixed.eigenvectors().rightCols(kept);  // eigenvalues ascend
  const VectorXd spread = mixed.eigenvalues().tail(kept);

  MatrixXd records = -(directions.transpose() * means.selfadjointView<Lower>() * directions);
  records.diagonal().array() += (spread.array() - noise) / stretch;
  const SelfAdjointEigenSolver<MatrixXd> restored(records);
  poll();
  const VectorXd deviation = restored.eigenvalues().cwiseMax(0).cwiseSqrt();
  const MatrixXd root = restored.eigenvectors() * deviation.asDiagonal() *
                        restored.eigenvectors().transpose();
  const VectorXd shrink = spread.cwiseSqrt().cwiseInverse();
  map = directions * root * shrink.asDiagonal() * directions.transpose();
  return map;
}

}  // namespace dpmix
