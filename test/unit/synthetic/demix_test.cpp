#include "core/synthetic/demix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <type_traits>

#include "core/algebra/spectrum.hpp"

namespace dpmix {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Demixing is post-processing because it gets released rows and public numbers, and nothing else:
// no plan, counts or records. What would change this changes a type below.
static_assert(std::is_same_v<decltype(&RowMoments::add), void (RowMoments::*)(const double*)>);
static_assert(std::is_same_v<decltype(&MixedSpread::add),
                             VectorXd (MixedSpread::*)(const RowMoments&, const Mixing&)>);
static_assert(std::is_constructible_v<Demixing, MixedSpread>);
static_assert(!std::is_constructible_v<Demixing, const RowMoments&>);
static_assert(sizeof(Mixing) == 3 * sizeof(double));

// A class of normal records with mean m and covariance R R', mixed and made noisy.
struct Mixed {
  VectorXd mean;
  MatrixXd root;
  int mix;
  double rate, noise;

  Mixing mixing() const { return {static_cast<double>(mix), rate, noise}; }
  MatrixXd covariance() const { return root * root.transpose(); }
  MatrixXd rows(std::mt19937_64& random, Index count) const {
    std::normal_distribution<double> normal;
    std::binomial_distribution<int> joins(static_cast<int>(std::lround(mix / rate)), rate);
    const auto draw = [&] { return normal(random); };
    MatrixXd rows(mean.size(), count);
    for (Index t = 0; t < count; ++t) {
      // The sum of n records of a fixed number: about its mean, 1 - rate of independent ones.
      const int n = rate < 1 ? joins(random) : mix;
      rows.col(t) =
          (n * mean + std::sqrt(n * (1 - rate)) * root * VectorXd::NullaryExpr(mean.size(), draw)) /
              mix +
          noise * VectorXd::NullaryExpr(mean.size(), draw);
    }
    return rows;
  }
};

MatrixXd covariance_of(const MatrixXd& rows) {
  const MatrixXd centred = rows.colwise() - rows.rowwise().mean();
  return centred * centred.transpose() / static_cast<double>(rows.cols() - 1);
}

VectorXd add(MixedSpread& spread, const MatrixXd& rows, const Mixing& mixing) {
  RowMoments moments(static_cast<int>(rows.rows()));
  for (Index t = 0; t < rows.cols(); ++t) moments.add(rows.col(t).data());
  moments.flush();
  return spread.add(moments, mixing);
}

MatrixXd mapped(const MatrixXd& map, const MatrixXd& rows) {
  const VectorXd mean = rows.rowwise().mean();
  MatrixXd centred = rows.colwise() - mean;
  return (map * centred).colwise() + mean;
}

MatrixXd demixed(const MatrixXd& rows, const Mixing& mixing) {
  MixedSpread spread(static_cast<int>(rows.rows()));
  add(spread, rows, mixing);
  return mapped(Demixing(std::move(spread)).map(), rows);
}

double relative_error(const MatrixXd& covariance, const MatrixXd& truth) {
  return (covariance - truth).norm() / truth.norm();
}

MatrixXd random_root(std::mt19937_64& random, Index size, double spread) {
  std::normal_distribution<double> normal;
  const MatrixXd a = MatrixXd::NullaryExpr(size, size, [&] { return normal(random); });
  return spread / std::sqrt(static_cast<double>(size)) * a;
}

TEST(Demix, RestoresTheCovarianceAndKeepsTheMean) {
  std::mt19937_64 random(7);
  for (const Index size : {3, 16, 50}) {
    const VectorXd mean = VectorXd::LinSpaced(size, -.4, .4);
    const Mixed mixed = {mean, random_root(random, size, .25), 20, .05, .02};
    const MatrixXd rows = mixed.rows(random, 8000), now = demixed(rows, mixed.mixing());
    EXPECT_GT(relative_error(covariance_of(rows), mixed.covariance()), .8) << size;
    EXPECT_LT(relative_error(covariance_of(now), mixed.covariance()), size < 50 ? .16 : .3) << size;
    EXPECT_LT((now.rowwise().mean() - rows.rowwise().mean()).norm(), 1e-12) << size;
    EXPECT_LT((now.rowwise().mean() - mean).norm(), .002 * static_cast<double>(size)) << size;
  }
}

TEST(Demix, DirectionsWithinTheNoiseShareTheSpread) {
  std::mt19937_64 random(8);
  const Index size = 20;
  const MatrixXd root = .1 * MatrixXd::Identity(size, size);
  const Mixed mixed = {VectorXd::Zero(size), root, 10, .1, .1};
  const MatrixXd rows = mixed.rows(random, 4000);
  // Eigenvalues of .01 + .0009 spread by noise over .01 (1 + .09 +- .14).
  const MatrixXd covariance = covariance_of(demixed(rows, mixed.mixing()));
  EXPECT_NEAR(covariance.trace(), .01 * static_cast<double>(size), .03);
  EXPECT_GT(spectrum_of(covariance).values.minCoeff(), .004);
}

TEST(Demix, ShrinksDirectionsOfNoise) {
  std::mt19937_64 random(8);
  MatrixXd root = MatrixXd::Zero(2, 2);
  root(0, 0) = .5;  // the second feature is constant
  const Mixed mixed = {VectorXd::Zero(2), root, 10, .1, .02};
  const MatrixXd rows = mixed.rows(random, 20'000);
  MixedSpread spread(2);
  add(spread, rows, mixed.mixing());
  const MatrixXd map = Demixing(std::move(spread)).map();
  EXPECT_NEAR(map(0, 0), std::sqrt(.25 / (.025 * .9 + 4e-4)), .1);
  // As far as the noise lets one tell, the variance is at most 10 / .9 sqrt(2 / 20000) of its own.
  EXPECT_LT(map(1, 1), .6);
  EXPECT_GT(map(1, 1), 0);
}

TEST(Demix, SubtractsWhatTheMeanAdds) {
  // All records alike: rows spread along the mean because their number differs.
  std::mt19937_64 random(9);
  const VectorXd mean{{.8, -.6, .5}};
  const Mixed mixed = {mean, .02 * MatrixXd::Identity(3, 3), 10, .1, .003};
  const MatrixXd rows = mixed.rows(random, 20'000);
  EXPECT_GT(covariance_of(rows)(0, 0), .05);
  EXPECT_LT(covariance_of(demixed(rows, mixed.mixing())).trace(), .06);
}

TEST(Demix, ClassesThatJoinWholeStayAsTheyAre) {
  const MatrixXd rows{{.1, .2, .6}, {.3, .3, .1}};
  EXPECT_LT((demixed(rows, {5, 1, .1}) - rows).norm(), 1e-12);
}

TEST(Demix, FewRowsGiveFiniteRows) {
  std::mt19937_64 random(10);
  for (const Index size : {1, 2, 7, 40}) {
    const Mixed mixed = {VectorXd::Constant(size, .3), random_root(random, size, .3), 5, .1, .2};
    for (const Index count : {1, 2, 3, 8, 41}) {
      const MatrixXd rows = mixed.rows(random, count), now = demixed(rows, mixed.mixing());
      EXPECT_TRUE(now.allFinite()) << size << " " << count;
      EXPECT_LT((now.rowwise().mean() - rows.rowwise().mean()).norm(), 1e-9);
      if (count == 1) {
        EXPECT_LT((now - rows).norm(), 1e-12);
      }
      if (count > 1) {
        EXPECT_LT(covariance_of(now).trace(), 4 * static_cast<double>(size));
      }
    }
  }
  MixedSpread nobody(3);
  RowMoments none(3);
  none.flush();
  EXPECT_EQ(nobody.add(none, {4, .5, .1}), VectorXd::Zero(3));
  EXPECT_EQ(Demixing(std::move(nobody)).map(), MatrixXd::Identity(3, 3));
}

TEST(Demix, WorksWithoutNoise) {
  std::mt19937_64 random(11);
  Mixed mixed = {VectorXd{{.1, .2, .3}}, random_root(random, 3, .2), 8, .01, 0};
  mixed.root.row(2).setZero();  // a constant
  const MatrixXd rows = mixed.rows(random, 20'000), now = demixed(rows, mixed.mixing());
  EXPECT_TRUE(now.allFinite());
  EXPECT_LT(relative_error(covariance_of(now), mixed.covariance()), .1);
}

TEST(Demix, IndicatorsGetTheirVariance) {
  // 30% ones: each coordinate of a pair is -1 or 1, and never both are 1.
  std::mt19937_64 random(12);
  std::binomial_distribution<int> joins(2000, .01);
  std::normal_distribution<double> normal;
  MatrixXd rows(2, 20'000);
  for (Index t = 0; t < rows.cols(); ++t) {
    const int n = joins(random), ones = std::binomial_distribution<int>(n, .3)(random);
    rows(0, t) = (2. * ones - n) / 20 + .05 * normal(random);
    rows(1, t) = (n - 2. * ones) / 20 + .05 * normal(random);
  }
  const MatrixXd covariance = covariance_of(demixed(rows, {20, .01, .05}));
  const double truth = 4 * .3 * .7;
  EXPECT_NEAR(covariance(0, 0), truth, .1);
  EXPECT_NEAR(covariance(0, 1), -truth, .1);
}

TEST(Demix, PooledClassesMayDifferInMeanMixAndNoise) {
  std::mt19937_64 random(13);
  const Index size = 4;
  const MatrixXd root = random_root(random, size, .3);
  std::vector<Mixed> classes = {{VectorXd::Constant(size, -.5), root, 50, .02, .005},
                                {VectorXd::Constant(size, .5), root, 50, .5, .02},
                                {VectorXd::LinSpaced(size, -.7, .7), root, 10, .02, .01},
                                {VectorXd::Zero(size), root, 3, .3, .3},    // much noise
                                {VectorXd::Ones(size), root, 50, 1, .01}};  // joins whole
  MixedSpread spread(static_cast<int>(size));
  std::vector<MatrixXd> rows;
  for (const Mixed& mixed : classes) {
    rows.push_back(mixed.rows(random, 10'000));
    add(spread, rows.back(), mixed.mixing());
  }
  const Demixing demixing(std::move(spread));
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const MatrixXd now =
        mapped(demixing.map(classes[k].mixing(), rows[k].rowwise().mean()), rows[k]);
    EXPECT_LT(relative_error(covariance_of(now), classes[k].covariance()), k == 3 ? .4 : .25) << k;
  }
}

// At the noise of a class of some hundred rows, where few directions stand out, the estimate must
// beat the cut at the edge that leaves the others without spread.
TEST(Demix, IsBetterThanACut) {
  std::mt19937_64 random(14);
  const Index size = 16;
  double ours = 0, cut = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Mixed mixed = {VectorXd::Constant(size, .1), random_root(random, size, .3), 48, .06, .05};
    const MatrixXd rows = mixed.rows(random, 800);
    ours += relative_error(covariance_of(demixed(rows, mixed.mixing())), mixed.covariance());
    const MatrixXd c = covariance_of(rows);
    const Spectrum eigen = spectrum_of(c);
    const double noise = .05 * .05, edge = std::pow(1 + std::sqrt(16 / 800.), 2) * 1.02;
    const VectorXd stretched =
        (eigen.values.array() > noise * edge).select((eigen.values.array() - noise) * 48 / .94, 0.);
    cut += relative_error(eigen.vectors * stretched.asDiagonal() * eigen.vectors.transpose(),
                          mixed.covariance());
  }
  EXPECT_LT(ours, cut);
}

}  // namespace
}  // namespace dpmix
