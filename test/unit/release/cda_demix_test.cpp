#include "core/release/cda_demix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dpmix {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Rows of a class of normal records with mean m and covariance R R', mixed and made noisy.
struct Mixed {
  VectorXd mean;
  MatrixXd root;
  int mix;
  double rate, noise;

  VectorXd row(std::mt19937_64& random) const {
    std::normal_distribution<double> normal;
    std::binomial_distribution<int> joins(static_cast<int>(mix / rate), rate);
    VectorXd sum = VectorXd::Zero(mean.size());
    const auto draw = [&] { return normal(random); };
    for (int i = joins(random); i > 0; --i) {
      sum += mean + root * VectorXd::NullaryExpr(mean.size(), draw);
    }
    return sum / mix + noise * VectorXd::NullaryExpr(mean.size(), draw);
  }
};

TEST(Demix, RestoresTheSpreadOfTheClass) {
  std::mt19937_64 random(7);
  MatrixXd root(3, 3);
  root << .3, 0, 0, .1, .2, 0, 0, .05, .15;
  const Mixed mixed = {VectorXd{{.2, -.3, .1}}, root, 20, .05, .01};
  std::vector<VectorXd> rows;
  RowMoments moments(3);
  for (int i = 0; i < 20'000; ++i) {
    rows.push_back(mixed.row(random));
    moments.add(rows.back().data());
  }
  moments.flush();
  MixedSpread spread(3);
  const VectorXd mean = spread.add(moments, mixed.mix, mixed.rate, mixed.noise);
  EXPECT_LT((mean - mixed.mean).norm(), .01);
  const MatrixXd map = spread.demixing_map();
  MatrixXd restored = MatrixXd::Zero(3, 3);
  for (const VectorXd& row : rows) {
    const VectorXd deviation = map * (row - mean);
    restored += deviation * deviation.transpose() / static_cast<double>(rows.size());
  }
  EXPECT_LT((restored - root * root.transpose()).norm(), .012);
}

TEST(Demix, DropsDirectionsOfNoise) {
  std::mt19937_64 random(8);
  MatrixXd root = MatrixXd::Zero(2, 2);
  root(0, 0) = .5;  // the second feature is constant
  const Mixed mixed = {VectorXd::Zero(2), root, 10, .1, .02};
  RowMoments moments(2);
  for (int i = 0; i < 20'000; ++i) moments.add(mixed.row(random).data());
  moments.flush();
  MixedSpread spread(2);
  spread.add(moments, mixed.mix, mixed.rate, mixed.noise);
  const MatrixXd map = spread.demixing_map();
  EXPECT_NEAR(map(0, 0), std::sqrt(.25 / (.025 * .9 + 4e-4)), .1);
  EXPECT_NEAR(map(1, 1), 0, 1e-3);
}

TEST(Demix, ClassesThatJoinWholeHaveNoSpread) {
  RowMoments moments(1);
  for (const double x : {.1, .2, .3}) moments.add(&x);
  moments.flush();
  MixedSpread spread(1);
  EXPECT_NEAR(spread.add(moments, 5, 1, .1)(0), .2, 1e-12);
  EXPECT_EQ(spread.demixing_map()(0, 0), 0);
}

TEST(Demix, PoolsClassesAboutTheirOwnMeans) {
  std::mt19937_64 random(9);
  const MatrixXd root = MatrixXd::Identity(1, 1) * .2;
  MixedSpread spread(1);
  for (const double centre : {-.6, .6}) {
    const Mixed mixed = {VectorXd::Constant(1, centre), root, 50, .02, .001};
    RowMoments moments(1);
    for (int i = 0; i < 20'000; ++i) moments.add(mixed.row(random).data());
    moments.flush();
    spread.add(moments, mixed.mix, mixed.rate, mixed.noise);
  }
  RowMoments whole(1);  // a class that joins whole says nothing about the spread
  for (int i = 0; i < 20'000; ++i) {
    const double x = i % 2;
    whole.add(&x);
  }
  whole.flush();
  spread.add(whole, 50, 1, .001);
  const double mixed_deviation = std::sqrt(.98 * (.04 + .36) / 50 + 1e-6);
  EXPECT_NEAR(spread.demixing_map()(0, 0) * mixed_deviation, .2, .03);
}

}  // namespace
}  // namespace dpmix
