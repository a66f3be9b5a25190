// Exact sets are what a search over all coefficients finds, and where terms are told apart they are
// the normal intervals.
#include "core/regression/exact_sets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/algebra/cholesky.hpp"

namespace dpmix::test {
namespace {

NoisySums drawn_sums(std::mt19937_64& random, const Vector& eigenvalues, const Vector& b) {
  std::normal_distribution<double> normal;
  const Eigen::Index p = b.size();
  NoisySums sums{eigenvalues.asDiagonal(), eigenvalues.asDiagonal() * b, 1, .01, 1};
  for (Eigen::Index i = 0; i < p; ++i) {
    sums.products[i] += normal(random);
    sums.terms(i, i) += std::sqrt(2.) * normal(random);
    for (Eigen::Index j = 0; j < i; ++j) {
      sums.terms(i, j) = sums.terms(j, i) = sums.terms(i, j) + normal(random);
    }
  }
  return sums;
}

// How many deviations g - G b is, by the bound on its covariance that the sets are made with.
double contradiction(const NoisySums& sums, const Vector& near, const Vector& b) {
  const Eigen::Index p = b.size();
  const double square = near.squaredNorm(), scale = 1 + square;
  const Matrix at_near = sums.variance * (scale * Matrix::Identity(p, p) + near * near.transpose());
  const double along = b.dot(near);
  const double bound = (1 + 2 * b.squaredNorm() - along * along / (scale + square)) / scale;
  const Vector off = sums.products - sums.terms * b;
  return solve_lower(*cholesky(at_near), off).norm() / std::sqrt(bound);
}

// With b[0] fixed, the other of two coefficients is searched for.
double least_contradiction(const NoisySums& sums, const Vector& near, double first) {
  double least = INFINITY;
  for (int i = -4000; i <= 4000; ++i) {
    const double other = std::sinh(i * .0025);
    least = std::min(least, contradiction(sums, near, Vector{{first, other}}));
  }
  return least;
}

TEST(ExactSets, AreWhatASearchFinds) {
  std::mt19937_64 random(3);
  int bounded = 0, open = 0;
  for (int run = 0; run < 40; ++run) {
    const Vector b{{.5, -.8}}, near{{.3, -.2 * (run % 5)}};
    const NoisySums sums = drawn_sums(random, Vector{{60., run % 8 * 2.}}, b);
    const ExactSets sets(sums, near, false);
    for (const double reach : {1., 1.96, 3.}) {
      const ExactSets::Ends ends = sets.ends(Vector{{1., 0.}}, reach);
      if (std::isinf(ends.low)) {
        EXPECT_TRUE(std::isinf(ends.high));
        ++open;
        continue;
      }
      ++bounded;
      const double width = ends.high - ends.low;
      ASSERT_GT(width, 0);
      if (width > 3) continue;  // beyond what is searched
      // At an end, so much; inside less, outside more.
      EXPECT_NEAR(least_contradiction(sums, near, ends.low), reach, .02 * reach);
      EXPECT_NEAR(least_contradiction(sums, near, ends.high), reach, .02 * reach);
      EXPECT_LT(least_contradiction(sums, near, (ends.low + ends.high) / 2), reach);
      EXPECT_GT(least_contradiction(sums, near, ends.high + .2 * width), reach);
      EXPECT_NEAR(sets.reach_of(Vector{{1., 0.}}, ends.low), reach, 1e-5);
    }
  }
  EXPECT_GT(bounded, 20);
  EXPECT_GT(open, 5);
}

// The covariance that the sets are made with is nowhere below that of the noise.
TEST(ExactSets, NeverSmallerThanTheNoise) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (int run = 0; run < 2000; ++run) {
    const Eigen::Index p = 1 + run % 5;
    Vector near(p), b(p), off(p);
    for (Eigen::Index i = 0; i < p; ++i) {
      near[i] = normal(random) * (run % 7);
      b[i] = normal(random) * (run % 11);
      off[i] = normal(random);
    }
    const NoisySums sums{Matrix::Zero(p, p), off, 1, .01, 1};
    const Matrix exact = (1 + b.squaredNorm()) * Matrix::Identity(p, p) + b * b.transpose();
    const double right = solve_lower(*cholesky(exact), off).norm();
    EXPECT_LE(contradiction(sums, near, b), right * (1 + 1e-12));
  }
}

// Terms that are far from collinear, small effects: intervals of the linearisation.
TEST(ExactSets, NormalWhereTermsAreToldApart) {
  std::mt19937_64 random(5);
  const Vector b{{.02, -.03, .01}};
  const NoisySums sums = drawn_sums(random, Vector{{1e4, 3e3, 2e3}}, b);
  const Matrix inverse = solve_cholesky(*cholesky(sums.terms), Matrix::Identity(3, 3));
  const Vector centre = inverse * sums.products;
  const ExactSets sets(sums, centre, false), population(sums, centre, true);
  for (int i = 0; i < 3; ++i) {
    Vector direction = Vector::Zero(3);
    direction[i] = 1;
    const double noise = (inverse * inverse)(i, i);
    const double all = noise + sums.residual * inverse(i, i);
    const ExactSets::Ends ends = sets.ends(direction, 2), wide = population.ends(direction, 2);
    EXPECT_NEAR((ends.high - ends.low) / (4 * std::sqrt(noise)), 1, .01);
    EXPECT_NEAR((wide.high - wide.low) / (4 * std::sqrt(all)), 1, .01);
    EXPECT_NEAR((ends.high + ends.low) / 2, centre[i], .01 * std::sqrt(noise));
    EXPECT_NEAR(population.reach_of(direction, 0), std::fabs(centre[i]) / std::sqrt(all),
                .01 * std::fabs(centre[i]) / std::sqrt(all));
  }
  EXPECT_EQ(sets.reach_of(Vector{{1., 0., 0.}}, 1e3), INFINITY);
}

// Sums of many rows have small squares beside large ones.
TEST(ExactSets, ManyRows) {
  std::mt19937_64 random(6);
  const Vector b{{.2, -.3}};
  for (const double rows : {1e6, 1e9, 1e12}) {
    const NoisySums sums = drawn_sums(random, Vector{{rows, 100.}}, b);
    const ExactSets::Ends ends = ExactSets(sums, b, false).ends(Vector{{0., 1.}}, 4.5);
    EXPECT_LT(ends.high - ends.low, .2);
    EXPECT_GT(ends.high - ends.low, .05);
    EXPECT_LE(ends.low, -.3 + .05);
    EXPECT_GE(ends.high, -.3 - .05);
  }
}

}  // namespace
}  // namespace dpmix::test
