// The least covering ellipsoid: feasible, within its proved gap, right where the answer is known.
#include "core/published/covering_ellipsoid.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <random>

#include "core/base/error.hpp"
#include "tables/published_rows.hpp"

namespace dpmix::test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

// Every constraint X >= v v^T, by the sign of the least eigenvalue of the difference.
void expect_feasible(const MatrixXd& shifts, const CoveringEllipsoid& e) {
  const double size = e.cover.trace();
  for (Eigen::Index n = 0; n < shifts.rows(); ++n) {
    const MatrixXd left = e.cover - shifts.row(n).transpose() * shifts.row(n);
    const double least = Eigen::SelfAdjointEigenSolver<MatrixXd>(left).eigenvalues()[0];
    EXPECT_GE(least, -1e-12 * size);
  }
}

struct Cloud {
  MatrixXd shifts, cost;
};

Cloud random_cloud(std::mt19937_64& random, Eigen::Index d, Eigen::Index n, int kind) {
  std::normal_distribution<double> normal;
  const auto draw = [&](Eigen::Index rows, Eigen::Index columns) {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); }).eval();
  };
  const MatrixXd a = draw(d, d + 2);
  Cloud cloud{draw(n, d), (a * a.transpose()).inverse()};
  cloud.cost = (cloud.cost + cloud.cost.transpose()).eval() / 2;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (kind == 1) cloud.shifts.row(i) *= std::exp(normal(random));                 // few matter
    if (kind == 2) cloud.shifts.row(i).array() += 8. * static_cast<double>(i % 3);  // far classes
    if (kind == 3) cloud.shifts.row(i) /= cloud.shifts.row(i).norm();               // all matter
    if (kind == 4 && i % 2) cloud.shifts.row(i) = cloud.shifts.row(i - 1);  // twice the same
    if (kind == 5) cloud.shifts(i, 0) *= 1e-3;                              // nearly flat
  }
  return cloud;
}

TEST(PublishedSdp, GapIsProvedAndConstraintsHold) {
  std::mt19937_64 random(1);
  for (const Eigen::Index d : {1, 2, 3, 5, 8}) {
    for (int kind = 0; kind < 6; ++kind) {
      for (const Eigen::Index n : {d, d + 3, Eigen::Index{60}}) {
        const Cloud cloud = random_cloud(random, d, n, kind == 4 && n < 60 ? 0 : kind);
        const CoveringEllipsoid e = least_ellipsoid(cloud.shifts, cloud.cost);
        // Nearly flat shifts are as far as doubles go.
        EXPECT_LE(e.gap, kind == 5 ? 1e-4 : 1e-6) << "d=" << d << " n=" << n << " kind=" << kind;
        EXPECT_GE(e.gap, 0);
        EXPECT_NEAR(e.cost, cloud.cost.cwiseProduct(e.cover).sum(), 1e-9 * e.cost);
        expect_feasible(cloud.shifts, e);
      }
    }
  }
}

// No ellipsoid nearby that still covers costs less by more than the gap.
TEST(PublishedSdp, NothingFeasibleCostsLess) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20; ++trial) {
    const Cloud cloud = random_cloud(random, 3, 40, trial % 4);
    const CoveringEllipsoid e = least_ellipsoid(cloud.shifts, cloud.cost);
    const MatrixXd lower = Eigen::LLT<MatrixXd>(e.cover).matrixL();
    for (int move = 0; move < 200; ++move) {
      MatrixXd change = MatrixXd::NullaryExpr(3, 3, [&] { return normal(random); });
      change = (change + change.transpose()).eval() * std::pow(10., -1 - move % 5);
      const MatrixXd other = lower * (MatrixXd::Identity(3, 3) + change) * lower.transpose();
      const Eigen::LLT<MatrixXd> llt(other);
      if (llt.info() != Eigen::Success) continue;
      double outside = 0;
      for (Eigen::Index n = 0; n < 40; ++n) {
        const VectorXd v = cloud.shifts.row(n);
        outside = std::max(outside, v.dot(llt.solve(v)));
      }
      const double cost = outside * cloud.cost.cwiseProduct(other).sum();  // scaled to cover
      EXPECT_GE(cost, e.cost * (1 - 2e-6));
    }
  }
}

TEST(PublishedSdp, KnownAnswers) {
  // One feature: the longest shift.
  EXPECT_NEAR(least_ellipsoid((MatrixXd(3, 1) << 1, -3, 2).finished(), MatrixXd::Constant(1, 1, 5))
                  .cover(0, 0),
              9, 1e-5);
  // Orthogonal shifts of lengths a, b at C = I: M^(1/2) = diag(a sqrt w, b sqrt(1 - w)) is traced
  // best at w = a^2 / (a^2 + b^2); the value is a^2 + b^2, and X = diag(a^2 + b^2 scaled by share).
  const double a = 3, b = .5;
  const MatrixXd axes = (MatrixXd(2, 2) << a, 0, 0, b).finished();
  const CoveringEllipsoid e = least_ellipsoid(axes, MatrixXd::Identity(2, 2));
  EXPECT_NEAR(e.cost, a * a + b * b, 1e-5);
  EXPECT_NEAR(e.cover(0, 0), a * a, 1e-4);
  EXPECT_NEAR(e.cover(1, 1), b * b, 1e-4);
  // All directions alike: the ball.
  MatrixXd circle(360, 2);
  for (int i = 0; i < 360; ++i) circle.row(i) << std::cos(i * M_PI / 180), std::sin(i * M_PI / 180);
  EXPECT_NEAR(
      (least_ellipsoid(circle, MatrixXd::Identity(2, 2)).cover - MatrixXd::Identity(2, 2)).norm(),
      0, 1e-5);
  // Whatever the units.
  EXPECT_NEAR(least_ellipsoid(circle * 1e-150, MatrixXd::Identity(2, 2) * 1e150).cost / 2e-150, 1,
              1e-5);
}

// One at a time against a grid over the ellipses through the binding shift, two features.
TEST(PublishedSdp, AgreesWithSearch) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 3; ++trial) {
    const Cloud cloud = random_cloud(random, 2, 12, trial % 3);
    double least = HUGE_VAL;
    for (int angle = 0; angle < 180; ++angle) {
      const double c = std::cos(angle * M_PI / 180), s = std::sin(angle * M_PI / 180);
      const MatrixXd turn = (MatrixXd(2, 2) << c, -s, s, c).finished();
      for (int ratio = -100; ratio <= 100; ++ratio) {
        const double t = std::exp(ratio / 20.);
        const MatrixXd x = turn * VectorXd{{t, 1 / t}}.asDiagonal() * turn.transpose();
        const MatrixXd p = turn * VectorXd{{1 / t, t}}.asDiagonal() * turn.transpose();
        const double outside =
            (cloud.shifts * p).cwiseProduct(cloud.shifts).rowwise().sum().maxCoeff();
        least = std::min(least, outside * cloud.cost.cwiseProduct(x).sum());
      }
    }
    const double found = least_ellipsoid(cloud.shifts, cloud.cost).cost;
    EXPECT_LE(found, least * (1 + 1e-6));
    EXPECT_GE(found, least * (1 - 5e-3));  // the grid's own width
  }
}

// sdp_ellipsoid and sdp_mult of the project's Python prototype (oracle/lib.py, NumPy), gaps below
// 1e-7, on the label shifts of Iris.
TEST(PublishedSdp, AgreesWithThePrototype) {
  const LabelledRows rows = labelled_rows(iris());
  const auto fit = published_fit(rows);
  const double expected[] = {.5725832701736518, .105937552659439, .12485622507215796};
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const CoveringEllipsoid e =
        least_ellipsoid(label_shifts(rows, fit[i], k), fit[i].precision, 1e-8);
    EXPECT_LE(e.gap, 1e-8);
    EXPECT_NEAR(e.cost, expected[k], 1e-7 * expected[k]);
  }
}

TEST(PublishedSdp, RefusesWhatHasNoAnswer) {
  const MatrixXd flat = (MatrixXd(3, 2) << 1, 1, 2, 2, -3, -3).finished();
  EXPECT_THROW(least_ellipsoid(flat, MatrixXd::Identity(2, 2)), Error);
  EXPECT_THROW(least_ellipsoid(MatrixXd::Zero(3, 2), MatrixXd::Identity(2, 2)), Error);
  EXPECT_THROW(least_ellipsoid(MatrixXd(0, 2), MatrixXd::Identity(2, 2)), Error);
  EXPECT_THROW(least_ellipsoid(MatrixXd::Identity(2, 2), -MatrixXd::Identity(2, 2)), Error);
}

}  // namespace
}  // namespace dpmix::test
