#include "core/algebra/spectrum.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
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
  const Spectrum ours = spectrum_of(lower);
  const Index size = matrix.rows();
  ASSERT_EQ(ours.values.size(), size) << which;
  ASSERT_TRUE(ours.values.allFinite() && ours.vectors.allFinite()) << which;
  const double scale = std::max(matrix.cwiseAbs().maxCoeff(), 1e-300);
  const double close = 1e-14 * static_cast<double>(size) + 1e-14;
  EXPECT_TRUE(std::is_sorted(ours.values.begin(), ours.values.end())) << which;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> theirs(matrix / scale);
  EXPECT_LT((ours.values / scale - theirs.eigenvalues()).cwiseAbs().maxCoeff(), close) << which;
  EXPECT_LT((ours.vectors.transpose() * ours.vectors - MatrixXd::Identity(size, size)).norm(),
            close * 10)
      << which;
  const MatrixXd again = ours.with(ours.values / scale);
  EXPECT_LT((again - matrix / scale).norm(), close * 10) << which;
}

TEST(Spectrum, AgreesWithEigen) {
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

TEST(Spectrum, OfADiagonalMatrixKeepsTheOrderOfCoordinates) {
  const Spectrum seen = spectrum_of(VectorXd{{3., 1., 2.}}.asDiagonal(), true);
  EXPECT_EQ(seen.values, (VectorXd{{3., 1., 2.}}));
  EXPECT_EQ(seen.vectors, (MatrixXd::Identity(3, 3)));
}

struct Stopped {};

TEST(Spectrum, StopsWhenPollThrows) {
  const MatrixXd a = random_symmetric(40);
  static int left;
  for (const int polls : {0, 1, 10, 39, 40, 60}) {
    left = polls;
    poll_hook = [] {
      if (left-- == 0) throw Stopped();
    };
    EXPECT_THROW(spectrum_of(a), Stopped) << polls;
  }
  poll_hook = nullptr;
}

}  // namespace
}  // namespace dpmix
