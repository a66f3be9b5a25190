#include "core/algebra/cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <ctime>

#include "core/algebra/inverse.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"

namespace dpmix {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd random_symmetric(Index size) {
  const MatrixXd a = MatrixXd::Random(size, size);
  return a + a.transpose();
}

TEST(Algebra, AgreesWithEigen) {
  std::srand(2);
  for (const Index size : {1, 7, 32, 33, 90}) {
    const MatrixXd a = random_symmetric(size), x = MatrixXd::Random(size, 2 * size);
    const double close = 1e-10;
    EXPECT_LT((product(a, x) - a * x).norm(), close);
    EXPECT_LT((congruence(x.transpose(), a) - x.transpose() * a * x).norm(), close);
    EXPECT_LT((diagonal_congruence(a, x.col(0)) - a * x.col(0).asDiagonal() * a).norm(), close);
    const MatrixXd definite = a * a + MatrixXd::Identity(size, size);
    MatrixXd lower = definite;
    lower.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
    const MatrixXd root = cholesky(lower).value();
    EXPECT_LT((root * root.transpose() - definite).norm(), close);
    EXPECT_TRUE(root.isLowerTriangular(0));
    EXPECT_LT((root * solve_lower(root, x) - x).norm(), close);
    EXPECT_LT((root.transpose() * solve_transposed(root, x) - x).norm(), close);
    EXPECT_LT((definite * solve_cholesky(root, x) - x).norm(), close);
    EXPECT_LT((root * inverse_of_lower(root) - MatrixXd::Identity(size, size)).norm(), close);
    EXPECT_NEAR(2 * log_determinant(root), spectrum_of(definite).values.array().log().sum(), close);
    const Inverse inverse = inverse_of(a);
    EXPECT_LT((a * inverse.matrix - MatrixXd::Identity(size, size)).norm(), close);
    EXPECT_NEAR(inverse.log_determinant, std::log(std::abs(a.determinant())), close);
  }
}

TEST(Cholesky, IsThereOfPositiveDefiniteMatricesOnly) {
  for (const Index size : {1, 5, 33, 70}) {
    MatrixXd a = MatrixXd::Identity(size, size);
    for (const double last : {0., -1., std::nan("")}) {
      a(size - 1, size - 1) = last;
      EXPECT_FALSE(cholesky(a)) << size << " " << last;
    }
    if (size == 1) continue;
    a(size - 1, size - 1) = 1;
    a(size - 1, 0) = 1 + 1e-9;
    EXPECT_FALSE(cholesky(a)) << size;
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

TEST(Algebra, PollsOften) {
  const Index size = 200;
  const MatrixXd a = random_symmetric(size);
  const std::clock_t start = last_poll = std::clock();
  longest_stretch = 0;
  poll_hook = time_stretch;
  spectrum_of(a);
  const MatrixXd definite = a * a + MatrixXd::Identity(size, size);
  last_poll = std::clock();
  const MatrixXd root = cholesky(definite).value();
  product(solve_transposed(root, solve_lower(root, a)), a);
  time_stretch();
  poll_hook = nullptr;
  EXPECT_LT(static_cast<double>(longest_stretch), .3 * static_cast<double>(last_poll - start));
}

}  // namespace
}  // namespace dpmix
