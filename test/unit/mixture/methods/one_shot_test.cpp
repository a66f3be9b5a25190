#include "core/mixture/gaussian_mixture.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/mixture/divergence.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/fit/one_shot_plan.hpp"
#include "core/mixture/sampling.hpp"
#include "tables/mixture_tables.hpp"
#include "tables/mixture_valid.hpp"

namespace dpmix::test {
namespace {

constexpr double no_noise = 1e6, modest = .85;  // mu; modest: epsilon about 4 at delta 1e-5
const std::vector<int> iris_match = {0, 1, 2};

double median_kl(const Table& table, double mu, CovarianceShape shape = CovarianceShape::full) {
  const GaussianMixture fit = plain_fit(table);
  std::vector<double> kl;
  for (std::uint64_t seed = 1; seed <= 31; ++seed) {
    const GmmFit released = private_fit(table, mu, seed, Adjacency::add_remove, shape);
    expect_valid(released.mixture, table);
    kl.push_back(gmm_kl(released.mixture, fit, iris_match));
  }
  std::nth_element(kl.begin(), kl.begin() + 15, kl.end());
  return kl[15];
}

TEST(Gmm, WithoutNoiseIsThePlainFit) {
  const Table table = iris();
  ASSERT_EQ(table.row.size(), 150u);
  const GaussianMixture fit = plain_fit(table);
  const GmmFit released = private_fit(table, no_noise, 1);
  EXPECT_LT(gmm_kl(released.mixture, fit, iris_match), 1e-4);
  for (std::size_t k = 0; k < 3; ++k) {
    const GaussianMixture::Component &a = released.mixture.components[k], &b = fit.components[k];
    EXPECT_DOUBLE_EQ(a.weight, b.weight);
    EXPECT_EQ(a.rows, 50);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a.mean[i], b.mean[i], 1e-5);
    for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(a.covariance[i], b.covariance[i], 1e-4);
  }
  EXPECT_EQ(quality_note(released, {"a", "b", "c"}), "all components usable");
}

TEST(Gmm, DiagonalWithoutNoiseHasTheVariances) {
  const Table table = iris();
  const GaussianMixture fit = plain_fit(table);
  const GmmFit released =
      private_fit(table, no_noise, 1, Adjacency::replace, CovarianceShape::diagonal);
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 16; ++i) {
      const double want = i % 5 == 0 ? fit.components[k].covariance[i] : 0;
      EXPECT_NEAR(released.mixture.components[k].covariance[i], want, 1e-4);
    }
  }
}

TEST(Gmm, DivergenceFallsWithMu) {
  const Table table = iris();
  double last = INFINITY;
  for (const double mu : {modest, 8., 80., 800.}) {
    const double kl = median_kl(table, mu);
    EXPECT_LT(kl, last);
    last = kl;
  }
  EXPECT_LT(last, .01);
  EXPECT_LT(median_kl(table, modest, CovarianceShape::diagonal), median_kl(table, modest));
}

TEST(Gmm, DistrustsSmallComponents) {
  const Table table = iris();
  const GmmFit rough = private_fit(table, modest, 7);
  EXPECT_NE(quality_note(rough, {"a", "b", "c"}).find("covariance mostly noise"),
            std::string::npos);
}

// Empty classes, one row, constant and collinear features, more features than rows, rows at and
// beyond the corners: each gives a valid model, with little and with much noise.
TEST(Gmm, AlwaysValid) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (const int d : {1, 2, 7, 30}) {
    const auto size = static_cast<std::size_t>(d);
    Table table{d, 6, std::vector<double>(size, -1), std::vector<double>(size, 1.5), {}, {}};
    const auto add = [&](int k, double scale, auto&& value) {
      std::vector<double> x(size);
      for (std::size_t i = 0; i < size; ++i) x[i] = scale * value(i);
      table.label.push_back(k);
      table.row.push_back(x);
    };
    add(1, 1, [&](std::size_t) { return uniform(random); });  // class 0 is empty, 1 has one row
    for (int n = 0; n < 20; ++n) {
      const double u = uniform(random);
      add(2, 1, [](std::size_t) { return .25; });
      add(3, 1, [&](std::size_t) { return u; });
      add(4, 1, [&](std::size_t) { return uniform(random); });
      add(5, n % 2 ? HUGE_VAL : -HUGE_VAL, [](std::size_t) { return 1; });
    }
    for (const double mu : {1e-4, modest, 30., no_noise}) {
      for (const CovarianceShape shape :
           {CovarianceShape::full, CovarianceShape::diagonal, CovarianceShape::shared}) {
        for (const GmmObjective objective : {GmmObjective::balanced, GmmObjective::forward_kl}) {
          expect_valid(private_fit(table, mu, 3, Adjacency::replace, shape, objective).mixture,
                       table);
        }
      }
    }
  }
  const Table empty{2, 3, {0, 0}, {1, 1e-9}, {}, {}};
  expect_valid(private_fit(empty, modest, 1).mixture, empty);
  expect_valid(private_fit(empty, no_noise, 1).mixture, empty);
}

TEST(Gmm, BlankMomentsAreNoRows) {
  const GmmPlan plan =
      plan_gmm({0}, {1}, 2, CovarianceShape::full, Adjacency::add_remove, no_noise);
  RandomStream random(key_of(1));
  for (const NoisyMoments& m : add_noise(random, MomentTotals{}, plan)) EXPECT_EQ(m.count, 0);
}

TEST(Gmm, RefusesLabelAdjacency) {
  EXPECT_THROW(plan_gmm({0}, {1}, 2, CovarianceShape::full, Adjacency::label, 1), Error);
}

TEST(Gmm, RefusesWhatIsTooLarge) {
  const std::vector<double> lower(100, 0), upper(100, 1);
  EXPECT_THROW(plan_gmm(lower, upper, 1000, CovarianceShape::diagonal, Adjacency::add_remove, 1),
               Error);
  EXPECT_NO_THROW(plan_gmm(lower, upper, 200, CovarianceShape::full, Adjacency::add_remove, 1));
}

TEST(Gmm, RefusesBoundsBeyondDoubles) {
  for (const double width : {1e-150, 1e150}) {
    EXPECT_THROW(plan_gmm({0}, {width}, 1, CovarianceShape::full, Adjacency::add_remove, 1), Error);
  }
}

TEST(Gmm, LongNotesAreCut) {
  GmmFit fit;
  fit.quality.assign(30, ComponentQuality::too_few_rows);
  const std::string note = quality_note(fit, std::vector<std::string>(30, "x"));
  EXPECT_EQ(note, "too few rows for a mean: x, x, x, x, x, x, x, x, x, x and 20 more");
}

// Closed form in one dimension, and the weights' part.
TEST(Gmm, KlOfKnownMixtures) {
  const GaussianMixture a{1, {{.25, 1, {0}, {1}}, {.75, 3, {5}, {4}}}};
  const GaussianMixture b{1, {{.5, 1, {4}, {9}}, {.5, 1, {1}, {2}}}};
  const auto kl = [](double m, double s, double n, double t) {
    return .5 * (s / t + (m - n) * (m - n) / t - 1 + std::log(t / s));
  };
  const double want =
      .25 * (std::log(.5) + kl(0, 1, 1, 2)) + .75 * (std::log(1.5) + kl(5, 4, 4, 9));
  EXPECT_NEAR(gmm_kl(a, b, {1, 0}), want, 1e-12);
}

// |KL| of full covariances against the definition by eigenvalues.
TEST(Gmm, KlOfFullCovariances) {
  const GaussianMixture a{2, {{1, 1, {1, -1}, {2, .5, .5, 1}}}};
  const GaussianMixture b{2, {{1, 1, {0, .5}, {1, -.3, -.3, 3}}}};
  const Matrix s = Eigen::Map<const Matrix>(a.components[0].covariance.data(), 2, 2);
  const Matrix t = Eigen::Map<const Matrix>(b.components[0].covariance.data(), 2, 2);
  const Eigen::Vector2d shift(1, -1.5);
  const double want = .5 * ((t.inverse() * s).trace() + shift.dot(t.inverse() * shift) - 2 +
                            std::log(t.determinant() / s.determinant()));
  EXPECT_NEAR(gmm_kl(a, b, {0}), want, 1e-12);
}

TEST(Gmm, SamplesHaveTheModelsMoments) {
  const GaussianMixture mixture{
      2, {{.3, 1, {1, -2}, {4, 1.5, 1.5, 1}}, {.7, 1, {0, 7}, {1, 0, 0, 9}}}};
  GmmSampler sampler(mixture);
  RandomStream random(key_of(9));
  constexpr int draws = 40000;
  std::vector<double> count(2);
  std::vector<Eigen::Vector2d> sum(2, Eigen::Vector2d::Zero());
  std::vector<Matrix> square(2, Matrix::Zero(2, 2));
  for (int n = 0; n < draws; ++n) {
    Eigen::Vector2d x;
    const auto k = static_cast<std::size_t>(sampler.draw(random, x.data()));
    ++count[k];
    sum[k] += x;
    square[k] += x * x.transpose();
  }
  // Seven standard deviations of each estimate.
  EXPECT_NEAR(count[0], .3 * draws, 7 * std::sqrt(.21 * draws));
  for (std::size_t k = 0; k < 2; ++k) {
    const GaussianMixture::Component& c = mixture.components[k];
    const Eigen::Vector2d mean = sum[k] / count[k];
    const Matrix covariance = square[k] / count[k] - mean * mean.transpose();
    for (int i = 0; i < 2; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_NEAR(mean[i], c.mean[at], 7 * std::sqrt(c.covariance[3 * at] / count[k]));
      for (int j = 0; j < 2; ++j) {
        EXPECT_NEAR(covariance(i, j), c.covariance[2 * at + static_cast<std::size_t>(j)],
                    7 * std::sqrt(2 * c.covariance[3 * at] *
                                  c.covariance[3 * static_cast<std::size_t>(j)] / count[k]));
      }
    }
  }
}

}  // namespace
}  // namespace dpmix::test
