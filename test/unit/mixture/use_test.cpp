// What is read off a mixture: its density, how far it is from another, one feature by itself.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "core/base/error.hpp"
#include "core/mixture/density.hpp"
#include "core/mixture/divergence.hpp"
#include "core/mixture/linear.hpp"
#include "core/mixture/marginal.hpp"
#include "core/mixture/sampling.hpp"

namespace dpmix::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of different scales by component and feature, with correlations.
GaussianMixture random_mixture(int d, int components, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  GaussianMixture mixture;
  mixture.features = d;
  double total = 0;
  for (int k = 0; k < components; ++k) {
    const double weight = .2 + std::abs(normal(random));
    GaussianMixture::Component c{weight, 100, {}, {}};
    MatrixXd factor(d, d);
    for (int i = 0; i < d; ++i) {
      const double scale = std::exp(normal(random));
      c.mean.push_back(2 * scale * normal(random));
      for (int j = 0; j < d; ++j) factor(i, j) = scale * normal(random);
      factor(i, i) += scale;
    }
    const MatrixXd covariance = factor * factor.transpose();
    c.covariance.assign(covariance.data(), covariance.data() + d * d);
    mixture.components.push_back(c);
    total += weight;
  }
  for (GaussianMixture::Component& c : mixture.components) c.weight /= total;
  return mixture;
}

std::vector<double> random_point(int d, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, 3);
  std::vector<double> x(static_cast<std::size_t>(d));
  for (double& v : x) v = normal(random);
  return x;
}

// The textbook's formula, by determinant and inverse.
double direct_density(const GaussianMixture::Component& c, const std::vector<double>& x) {
  const auto d = static_cast<Eigen::Index>(x.size());
  const Eigen::Map<const MatrixXd> covariance(c.covariance.data(), d, d);
  const VectorXd shift =
      Eigen::Map<const VectorXd>(x.data(), d) - Eigen::Map<const VectorXd>(c.mean.data(), d);
  const double square = shift.dot(covariance.inverse() * shift);
  return c.weight * std::exp(-square / 2) /
         std::sqrt((2 * std::numbers::pi * covariance).determinant());
}

TEST(MixtureUse, DensityIsTheFormula) {
  std::mt19937_64 random(1);
  for (const int d : {1, 2, 3, 6}) {
    const GaussianMixture mixture = random_mixture(d, 5, static_cast<unsigned>(d));
    const MixtureDensity density(mixture);
    std::vector<double> each(5);
    for (int n = 0; n < 50; ++n) {
      const std::vector<double> x = random_point(d, random);
      const double total = density.log_densities(x.data(), each.data());
      double want = 0;
      for (std::size_t k = 0; k < 5; ++k) {
        const double component = direct_density(mixture.components[k], x);
        want += component;
        if (component > 1e-200) {
          EXPECT_NEAR(each[k], std::log(component), 1e-8);
        }
      }
      EXPECT_NEAR(total, std::log(want), 1e-8);
      normalise(each, total);
      EXPECT_NEAR(std::accumulate(each.begin(), each.end(), 0.), 1, 1e-12);
    }
  }
}

TEST(MixtureUse, DensityOfFarAndInfinitePoints) {
  const GaussianMixture mixture = random_mixture(2, 3, 7);
  const MixtureDensity density(mixture);
  std::vector<double> each(3);
  const double far[] = {1e60, -1e60}, infinite[] = {HUGE_VAL, HUGE_VAL}, out[] = {1e200, 0};
  EXPECT_LT(density.log_densities(far, each.data()), -1e100);
  EXPECT_TRUE(std::isfinite(each[0]));
  EXPECT_EQ(density.log_densities(infinite, each.data()), -HUGE_VAL);
  EXPECT_EQ(density.log_densities(out, each.data()), -HUGE_VAL);
  for (const double v : each) EXPECT_EQ(v, -HUGE_VAL);
}

// One component each: the closed form is the truth. Near, moderate and far pairs; the interval of
// 95% may miss one in twenty, so: five standard errors.
TEST(MixtureUse, EstimatedKlIsTheClosedForm) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const GaussianMixture a = random_mixture(3, 1, seed);
    GaussianMixture b = a;
    GaussianMixture::Component& moved = b.components[0];
    const double by = std::pow(10., -static_cast<double>(seed % 4));
    moved.mean[0] += by * std::sqrt(a.components[0].covariance[0]);
    for (double& v : moved.covariance) v *= 1 + by;
    RandomStream random({static_cast<std::uint8_t>(seed)});
    const KlEstimate estimate = estimate_kl(a, b, 10000, random);
    const double truth = gmm_kl(a, b, {0});
    EXPECT_NEAR(estimate.kl, truth, 5 / 1.96 * estimate.error_bound) << seed;
    EXPECT_GT(estimate.error_bound, 0);
    EXPECT_LT(estimate.error_bound, .2 * truth) << seed;
  }
}

// The interval covers as often as it says: 95 times in 100, and 85 or fewer with a chance below
// 1e-4.
TEST(MixtureUse, EstimatedKlCovers) {
  const GaussianMixture a = random_mixture(1, 1, 21);
  GaussianMixture b = a;
  b.components[0].mean[0] += .7 * std::sqrt(a.components[0].covariance[0]);
  b.components[0].covariance[0] *= 1.5;
  const double truth = gmm_kl(a, b, {0});
  int covered = 0;
  for (int n = 0; n < 100; ++n) {
    RandomStream random({static_cast<std::uint8_t>(n), 1});
    const KlEstimate estimate = estimate_kl(a, b, 1000, random);
    covered += std::abs(estimate.kl - truth) <= estimate.error_bound;
  }
  EXPECT_GT(covered, 85);
  EXPECT_LT(covered, 100);
}

// Components far apart: who is known by the features, so the joint law's divergence is theirs.
TEST(MixtureUse, EstimatedKlOfSeparatedComponents) {
  GaussianMixture a = random_mixture(2, 3, 5), b = a;
  for (std::size_t k = 0; k < 3; ++k) {
    for (GaussianMixture* m : {&a, &b}) m->components[k].mean = {1e3 * static_cast<double>(k), 0};
    b.components[k].mean[1] += .3;
  }
  std::swap(b.components[0].weight, b.components[1].weight);
  RandomStream random({9});
  const KlEstimate estimate = estimate_kl(a, b, 20000, random);
  EXPECT_NEAR(estimate.kl, gmm_kl(a, b, {0, 1, 2}), 5 / 1.96 * estimate.error_bound);

  // Splitting a component into equal halves changes no density.
  GaussianMixture split = a;
  split.components[0].weight /= 2;
  split.components.push_back(split.components[0]);
  const KlEstimate none = estimate_kl(a, split, 1000, random);
  EXPECT_NEAR(none.kl, 0, 1e-12);
  EXPECT_THROW(estimate_kl(a, random_mixture(3, 3, 1), 1000, random), Error);
}

TEST(MixtureUse, MarginalIntegratesToTheWeight) {
  const GaussianMixture mixture = random_mixture(4, 3, 3);
  for (int feature = 0; feature < 4; ++feature) {
    const auto marginal = marginal_of(mixture, feature);
    const MarginalRange range = marginal_range(marginal, -1e9, 1e9);
    const std::vector<double> x = marginal_grid(range, 20001);
    EXPECT_EQ(x.front(), range.low);
    EXPECT_EQ(x.back(), range.high);
    for (std::size_t k = 0; k < 3; ++k) {
      double sum = 0;
      for (const double at : x) sum += marginal[k].density(at);
      const double integral = sum * (range.high - range.low) / 20000;
      EXPECT_LE(integral, marginal[k].weight * 1.0001);
      EXPECT_GE(integral, marginal[k].weight * .9985);  // a thousandth lies outside
    }
  }
}

// The density of one feature is what is left of the joint one when the other is integrated out.
TEST(MixtureUse, MarginalIsTheJointDensitysSum) {
  const GaussianMixture mixture = random_mixture(2, 2, 4);
  const MixtureDensity density(mixture);
  const auto first = marginal_of(mixture, 0), second = marginal_of(mixture, 1);
  const std::vector<double> y = marginal_grid(marginal_range(second, -1e9, 1e9), 4001);
  std::vector<double> each(2);
  for (const double x : {-1., 0., .7}) {
    double sum = 0;
    for (const double v : y) {
      const double point[] = {x, v};
      sum += std::exp(density.log_densities(point, each.data()));
    }
    const double want = first[0].density(x) + first[1].density(x);
    EXPECT_NEAR(sum * (y[1] - y[0]), want, 4e-3 * want + 1e-9);
  }
}

TEST(MixtureUse, MarginalRangeStaysWithinBounds) {
  const std::vector<MarginalComponent> wide = {{.5, 0, 10}, {.5, 1, 1e-9}};
  EXPECT_EQ(marginal_range(wide, -2, 2).low, -2);
  EXPECT_EQ(marginal_range(wide, -2, 2).high, 2);
  const std::vector<MarginalComponent> point = {{1, 2, 1e-300}};
  EXPECT_EQ(marginal_range(point, -2, 2).low, -2);
  EXPECT_EQ(marginal_range(point, -2, 2).high, 2);
}

// Against least squares and moments of many rows drawn from the mixture.
TEST(MixtureUse, LinearPredictionAndCorrelationsAreThoseOfItsRows) {
  const GaussianMixture mixture = random_mixture(4, 3, 11);
  constexpr int count = 200000;
  MatrixXd rows(count, 4);
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (int n = 0; n < count; ++n) {
    double u = uniform(engine);
    std::size_t k = 0;
    while (k + 1 < mixture.components.size() && u > mixture.components[k].weight) {
      u -= mixture.components[k++].weight;
    }
    const LinearMoments of = moments_of(mixture.components[k]);
    const MatrixXd factor = of.covariance.llt().matrixL();
    rows.row(n) = of.mean + factor * VectorXd::NullaryExpr(4, [&] { return normal(engine); });
  }
  const LinearMoments whole = moments_of(mixture);
  const VectorXd mean = rows.colwise().mean();
  const MatrixXd centred = rows.rowwise() - mean.transpose();
  const MatrixXd covariance = centred.transpose() * centred / count;
  const VectorXd scale = covariance.diagonal().cwiseSqrt();
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(whole.mean(i), mean(i), .02 * scale(i));
    for (int j = 0; j < 4; ++j) {
      EXPECT_NEAR(correlations_of(whole)(i, j), covariance(i, j) / scale(i) / scale(j), .02);
    }
  }
  for (int target = 0; target < 4; ++target) {
    MatrixXd design(count, 4);  // 1 and the other features
    design.col(0).setOnes();
    for (int i = 0, at = 1; i < 4; ++i) {
      if (i != target) design.col(at++) = rows.col(i);
    }
    const VectorXd fitted =
        (design.transpose() * design).ldlt().solve(design.transpose() * rows.col(target));
    const VectorXd told = linear_prediction(whole, target);
    const double apart = (design * (told - fitted)).norm() / std::sqrt(double(count));
    EXPECT_LT(apart, .02 * scale(target)) << target;
  }
}

TEST(MixtureUse, OneFeatureIsPredictedByItsMean) {
  const Vector told = linear_prediction(moments_of(random_mixture(1, 1, 3).components[0]), 0);
  ASSERT_EQ(told.size(), 1);
  EXPECT_DOUBLE_EQ(told(0), random_mixture(1, 1, 3).components[0].mean[0]);
}

// Twins: neither is blown up, and both together say what one would.
TEST(MixtureUse, FeaturesThatSayTheSameShareIt) {
  const Matrix covariance{{4, 1, 1}, {1, 1, 1 - 1e-15}, {1, 1 - 1e-15, 1}};
  const Vector told = linear_prediction({Vector::Zero(3), covariance}, 0);
  EXPECT_NEAR(told(1), .5, 1e-3);
  EXPECT_NEAR(told(2), .5, 1e-3);
}

}  // namespace
}  // namespace dpmix::test
