#include "core/mixture/methods/label_only_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr int kSweeps = 12;
constexpr double kPresence = 3;    // nats: that a label has a cluster at all
constexpr double kSureOfNone = 3;  // deviations: fewer rows without a label are taken for noise

// The part of all rows that has a label; 1 unless the counts say otherwise beyond their noise.
double labelled_part(const Matrix& counts, double noise, double rows) {
  const double none = rows - counts.sum();
  const double deviation = noise * std::sqrt(static_cast<double>(counts.size()));
  return none > kSureOfNone * deviation ? std::max(1 - none / rows, 0.) : 1;
}

// Posterior of "all rows of a cluster have one label", one cluster after the other, large ones
// first (mean field).
Matrix one_label_each(const Matrix& counts, double noise, const Vector& rows) {
  Matrix share = Matrix::Zero(counts.rows(), counts.cols());
  std::vector<Eigen::Index> order(static_cast<std::size_t>(counts.cols()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows[a] > rows[b]; });
  Vector present = Vector::Zero(counts.rows());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    poll();
    double change = 0;
    for (const Eigen::Index j : order) {
      const Vector others = present - share.col(j);
      Vector score = counts.col(j).array() * (rows[j] / (noise * noise)) +
                     kPresence * (1 - others.array()).max(0.);
      score = (score.array() - score.maxCoeff()).exp();
      score /= score.sum();
      change = std::max(change, (score - share.col(j)).cwiseAbs().maxCoeff());
      share.col(j) = score;
      present = others + score;
    }
    if (change < 1e-3) break;
  }
  return share;
}

}  // namespace

Matrix label_shares(const Matrix& counts, double noise, const Vector& rows) {
  const double labelled = labelled_part(counts, noise, std::max(rows.sum(), 1e-9));
  Matrix share = labelled * one_label_each(counts, noise, labelled * rows);
  // Where that does not explain the counts, clusters are mixed: trust the counts as far as what is
  // left of them exceeds their noise.
  const Matrix left = counts - share * rows.asDiagonal();
  const double noise2 = noise * noise, everywhere = std::max(left.array().square().mean(), noise2);
  for (Eigen::Index j = 0; j < counts.cols(); ++j) {
    const double here = left.col(j).squaredNorm() / static_cast<double>(counts.rows());
    const double excess = std::max((here + everywhere) / 2 - noise2, 0.);
    const double trust = excess / (excess + noise2);
    share.col(j) = (share.col(j) + trust / std::max(rows[j], 1e-9) * left.col(j)).cwiseMax(0);
    const double sum = share.col(j).sum();
    if (sum > 0 && (sum > 1 || labelled == 1)) share.col(j) /= sum;
  }
  return share;
}

}  // namespace dpmix
