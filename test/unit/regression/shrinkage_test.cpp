// Coefficients drawn to no effect: as far as the noise leaves them open, and no further.
#include "core/regression/shrinkage.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/algebra/cholesky.hpp"

namespace dpmix::test {
namespace {

constexpr Eigen::Index terms = 6;

RegressionPlan plan_with(double deviation, ProtectedPart part = ProtectedPart::row) {
  RegressionPlan plan = {};
  plan.part = part;
  plan.rows_per_unit = 1;
  const double product = deviation / std::sqrt(2.);
  plan.noise = part == ProtectedPart::row ? GramNoise{deviation, product, deviation, product}
                                          : GramNoise{0, 0, deviation, product};
  return plan;
}

Matrix exact_gram(std::mt19937_64& random, double effect) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Matrix gram = Matrix::Zero(terms + 2, terms + 2);
  Vector row(terms + 2);
  for (int r = 0; r < 4000; ++r) {
    row[0] = 1;
    double y = .3 + .2 * uniform(random);
    for (Eigen::Index i = 1; i <= terms; ++i) {
      row[i] = uniform(random);
      y += i <= 2 ? effect * row[i] : 0;
    }
    row[terms + 1] = std::clamp(y, -1., 1.);
    gram += row * row.transpose();
  }
  return gram;
}

Matrix noisy(std::mt19937_64& random, const Matrix& exact, double deviation) {
  std::normal_distribution<double> normal;
  Matrix gram = exact;
  for (Eigen::Index i = 0; i < gram.rows(); ++i) {
    gram(i, i) += deviation * normal(random);
    for (Eigen::Index j = 0; j < i; ++j) {
      gram(i, j) = gram(j, i) = gram(i, j) + deviation / std::sqrt(2.) * normal(random);
    }
  }
  return gram;
}

double squared_error(const Matrix& exact, const Vector& b) {
  Vector a(b.size() + 1);
  a << -b, 1;
  return a.dot(exact * a);
}

TEST(Shrinkage, NothingWithoutNoise) {
  std::mt19937_64 random(1);
  const Matrix gram = exact_gram(random, .2);
  const Matrix factor = *cholesky(gram.topLeftCorner(terms + 1, terms + 1));
  const Vector squares = solve_cholesky(factor, gram.topRightCorner(terms + 1, 1));
  for (const ProtectedPart part : {ProtectedPart::row, ProtectedPart::target}) {
    const ShrunkFit fit = shrunk_fit(gram, plan_with(1e-4, part));
    EXPECT_LT((fit.coefficients - squares).norm(), 1e-6);
    EXPECT_LT(fit.followed, 1e-5);
  }
}

// Without an effect the prediction is the noisy mean, and with one it is never much worse.
TEST(Shrinkage, NeverWorseThanTheMean) {
  for (const double effect : {0., .05, .2}) {
    for (const double deviation : {30., 100., 300., 1000.}) {
      std::mt19937_64 random(2);
      const Matrix exact = exact_gram(random, effect);
      double error = 0, of_mean = 0;
      for (int run = 0; run < 60; ++run) {
        const Matrix gram = noisy(random, exact, deviation);
        error += squared_error(exact, shrunk_fit(gram, plan_with(deviation)).coefficients);
        Vector mean = Vector::Zero(terms + 1);
        mean[0] = gram(0, terms + 1) / gram(0, 0);
        of_mean += squared_error(exact, mean);
      }
      EXPECT_LT(error, 1.05 * of_mean) << effect << " " << deviation;
    }
  }
}

// A residual that follows the noise is smaller by what is said, on average.
TEST(Shrinkage, SaysHowFarItFollowsTheNoise) {
  std::mt19937_64 random(3);
  const Matrix exact = exact_gram(random, .3);
  constexpr double deviation = 30;
  constexpr int runs = 2000;
  double followed = 0, said = 0;
  for (int run = 0; run < runs; ++run) {
    const Matrix gram = noisy(random, exact, deviation);
    const ShrunkFit fit = shrunk_fit(gram, plan_with(deviation));
    said += fit.followed / runs;
    followed +=
        (squared_error(exact, fit.coefficients) - squared_error(gram, fit.coefficients)) / runs;
  }
  // Each of the differences deviates by about 40.
  EXPECT_NEAR(followed, said, 6.2 * 45 / std::sqrt(runs) + .25 * said);
}

TEST(Shrinkage, NothingThere) {
  std::mt19937_64 random(4);
  for (int run = 0; run < 50; ++run) {
    const Matrix gram = noisy(random, Matrix::Zero(terms + 2, terms + 2), 500);
    const Vector b = shrunk_fit(gram, plan_with(500)).coefficients;
    EXPECT_TRUE(b.allFinite());
    EXPECT_LE(std::fabs(b[0]), 20);
  }
}

}  // namespace
}  // namespace dpmix::test
