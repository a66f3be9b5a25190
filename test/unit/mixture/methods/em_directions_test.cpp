// Which directions are looked at for components: post-processing, so nothing here is about privacy.
#include "core/mixture/methods/em_directions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dpmix::test {
namespace {

using Matrix = Eigen::MatrixXd;

GmmComponent component(const Matrix& axes) {
  GmmComponent all;
  all.centre = Eigen::VectorXd::Zero(axes.rows());
  all.axes = axes;
  all.covariance = Matrix::Identity(axes.rows(), axes.rows());
  return all;
}

TEST(GmmDirections, CandidatesHaveDeviationOneAndAreFew) {
  for (const int d : {3, 10, 50}) {
    const GmmComponent all = component(Matrix::Random(d, d) + Matrix::Identity(d, d) * d / 2.);
    const Matrix directions = candidate_directions(all);
    EXPECT_EQ(directions.rows(), std::min(d, 5) + std::min(d, 16));
    for (const auto& w : directions.rowwise()) EXPECT_NEAR((w * all.axes).norm(), 1, 1e-9);
  }
}

TEST(GmmDirections, HeapsComeBeforeWhatIsMerelyWide) {
  const GmmComponent all = component(Eigen::Vector4d(.4, .3, .2, .1).asDiagonal());
  const Matrix directions = candidate_directions(all);
  constexpr int side = 40, heaps = 8;  // feature 3: after four principal directions, the fourth
  ASSERT_EQ(directions.rows(), heaps);
  std::vector<double> counts;
  for (int v = 0; v < directions.rows(); ++v) {
    for (int c = 0; c < side; ++c) {
      const bool apart = v == heaps - 1;
      counts.push_back(apart ? (c % 12 < 3 ? 1000 : 0)
                             : 3000 * std::exp(-(c - 20) * (c - 20) / 72.));
    }
  }
  const Matrix one = telling_directions(all, directions, counts, 5, 3);
  ASSERT_EQ(one.rows(), 1);  // the normal ones are not worth an axis
  EXPECT_NEAR(std::abs(one(0, 3)), 10, 1e-9);
  // Without heaps, the widest.
  std::fill(counts.end() - side, counts.end(), 100);
  const Matrix wide = telling_directions(all, directions, counts, 5, 3);
  ASSERT_EQ(wide.rows(), 3);
  EXPECT_NEAR(std::abs(wide(0, 0)), 2.5, 1e-9);
  // Nothing but noise is no error.
  std::fill(counts.begin(), counts.end(), -1);
  EXPECT_GE(telling_directions(all, directions, counts, 5, 3).rows(), 1);
}

TEST(GmmDirections, AxesAlongDirectionsKeepTheCovariance) {
  const Matrix axes = Matrix::Random(5, 5) + 3 * Matrix::Identity(5, 5);
  const GmmComponent all = component(axes);
  const Matrix two = Matrix::Random(2, 5);
  GmmComponent seen = seen_along(all, two);
  const Matrix covariance = axes * axes.transpose();
  seen.covariance.topLeftCorner(2, 2) = two * covariance * two.transpose();
  EXPECT_LT((seen.axes * seen.covariance * seen.axes.transpose() - covariance).norm(),
            1e-9 * covariance.norm());
  EXPECT_LT((two * seen.axes.leftCols(2) - Matrix::Identity(2, 2)).norm(), 1e-9);
  EXPECT_LT((two * seen.axes.rightCols(3)).norm(), 1e-5);
}

}  // namespace
}  // namespace dpmix::test
