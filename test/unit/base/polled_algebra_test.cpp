#include "core/base/polled_algebra.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <ctime>
#include <string>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_symmetric(Index size) {
  const MatrixXd a = MatrixXd::Random(size, size);
  return a + a.transpose();
}

void expect_decomposed(const MatrixXd& matrix, const std::string& which) {
  MatrixXd lower = matrix;  // nothing else is read
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
  const PolledEigen ours = polled_eigen(lower);
  const Index size = matrix.rows();
  ASSERT_EQ(ours.values.size(), size) << which;
  ASSERT_TRUE(ours.values.allFinite() && ours.vectors.allFinite()) << which;
  const double scale = std::max(matrix.cwiseAbs().maxCoeff(), 1e-300);
  const double close = 1e-14 * static_cast<double>(size) + 1e-14;
  VectorXd sorted = ours.values;
  std::sort(sorted.begin(), sorted.end());
  const Eigen::SelfAdjointEigenSolver<MatrixXd> theirs(matrix / scale);
  EXPECT_LT((sorted / scale - theirs.eigenvalues()).cwiseAbs().maxCoeff(), close) << which;
  EXPECT_LT((ours.vectors.transpose() * ours.vectors - MatrixXd::Identity(size, size)).norm(),
            close * 10)
      << which;
  const MatrixXd again =
      ours.vectors * (ours.values / scale).asDiagonal() * ours.vectors.transpose();
  EXPECT_LT((again - matrix / scale).norm(), close * 10) << which;
}

TEST(PolledEigen, AgreesWithEigen) {
  std::srand(1);
  for (const Index size : {1, 2, 3, 5, 31, 32, 33, 64, 90}) {
    const MatrixXd a = random_symmetric(size);
    const std::string which = "size " + std::to_string(size);
    expect_decomposed(a, which);
    expect_decomposed(a * a, which + ", squared");
    expect_decomposed(a * 1e-170, which + ", tiny");
    expect_decomposed(a * 1e170, which + ", huge");
    expect_decomposed(MatrixXd::Zero(size, size), which + ", zero");
    expect_decomposed(MatrixXd::Identity(size, size) * -3, which + ", one value");
    expect_decomposed(MatrixXd::Ones(size, size), which + ", ones");
    const MatrixXd q = Eigen::SelfAdjointEigenSolver<MatrixXd>(a).eigenvectors();
    VectorXd repeated = VectorXd::Ones(size);
    repeated.head(size / 2).setConstant(2);
    expect_decomposed(q * repeated.asDiagonal() * q.transpose(), which + ", repeated");
    VectorXd graded(size);
    for (Index i = 0; i < size; ++i) graded(i) = std::pow(10., static_cast<double>(-(i % 30)));
    expect_decomposed(q * graded.asDiagonal() * q.transpose(), which + ", graded");
    MatrixXd blocks = a;
    blocks.bottomLeftCorner(size / 2, size - size / 2).setZero();
    blocks = blocks.selfadjointView<Eigen::Lower>();
    expect_decomposed(blocks, which + ", blocks");
    expect_decomposed(MatrixXd(a.diagonal().asDiagonal()), which + ", diagonal");
  }
}

TEST(PolledAlgebra, AgreesWithEigen) {
  std::srand(2);
  for (const Index size : {1, 7, 32, 33, 90}) {
    const MatrixXd a = random_symmetric(size), x = MatrixXd::Random(size, 2 * size);
    const double close = 1e-10;
    EXPECT_LT((polled_product(a, x) - a * x).norm(), close);
    const MatrixXd definite = a * a + MatrixXd::Identity(size, size);
    MatrixXd root = definite;
    root.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
    polled_cholesky(root);
    EXPECT_LT((root * root.transpose() - definite).norm(), close);
    EXPECT_TRUE(root.isLowerTriangular(0));
    MatrixXd y = x;
    polled_solve(root, y);
    EXPECT_LT((root * y - x).norm(), close);
    y = x;
    polled_solve_transposed(root, y);
    EXPECT_LT((root.transpose() * y - x).norm(), close);
  }
}

// How long the longest stretch of work without a poll is, on one scale with all of the work: time
// of the processor, which a busy machine does not lengthen.
std::clock_t last_poll, longest_stretch;
void time_stretch() {
  const std::clock_t now = std::clock();
  longest_stretch = std::max(longest_stretch, now - last_poll);
  last_poll = now;
}

TEST(PolledAlgebra, PollsOften) {
  const Index size = 200;
  const MatrixXd a = random_symmetric(size);
  const std::clock_t start = last_poll = std::clock();
  longest_stretch = 0;
  poll_hook = time_stretch;
  polled_eigen(a);
  MatrixXd root = a * a + MatrixXd::Identity(size, size);
  last_poll = std::clock();
  polled_cholesky(root);
  MatrixXd x = a;
  polled_solve(root, x);
  polled_solve_transposed(root, x);
  polled_product(x, a);
  time_stretch();
  poll_hook = nullptr;
  EXPECT_LT(static_cast<double>(longest_stretch), .3 * static_cast<double>(last_poll - start));
}

struct Stopped {};

TEST(PolledAlgebra, StopsWhenPollThrows) {
  const MatrixXd a = random_symmetric(40);
  static int left;
  for (const int polls : {0, 1, 10, 39, 40, 60}) {
    left = polls;
    poll_hook = [] {
      if (left-- == 0) throw Stopped();
    };
    EXPECT_THROW(polled_eigen(a), Stopped) << polls;
  }
  poll_hook = nullptr;
}

}  // namespace
}  // namespace dpmix
