// Algorithm 1: its statistics, each of its updates, its draws, and what is wrong with it.
#include "core/published/gmm.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/error.hpp"
#include "core/mixture/divergence.hpp"
#include "core/published/double_draws.hpp"
#include "tables/mixture_valid.hpp"
#include "tables/published_rows.hpp"

namespace dpmix::test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

Table small_table(std::uint64_t seed, int rows = 200) {
  std::mt19937_64 random(seed);
  return simulated_table(random, 3, 2, rows);
}

TEST(PublishedGmm, StatisticsAreThePlainFit) {
  const Table table = iris();
  const auto fit = published_fit(labelled_rows(table));
  const GaussianMixture plain = plain_fit(table), own = mixture_of(fit);
  EXPECT_NEAR(gmm_kl(own, plain, {0, 1, 2}), 0, 1e-12);
  for (const PublishedClass& c : fit) {
    EXPECT_NEAR((c.precision * c.covariance - MatrixXd::Identity(4, 4)).norm(), 0, 1e-10);
  }
}

// Each row of label_shifts is mean(D) - mean(D') for the table in which that row's label changed.
TEST(PublishedGmm, ShiftsAreThoseOfNeighbours) {
  const LabelledRows rows = labelled_rows(small_table(1, 60));
  const auto fit = published_fit(rows);
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const MatrixXd shifts = label_shifts(rows, fit[i], k);
    for (std::size_t n = 0; n < rows.label.size(); n += 7) {
      LabelledRows other = rows;
      other.label[n] = rows.label[n] == k ? (k + 1) % 3 : k;
      VectorXd mean = VectorXd::Zero(2);
      int count = 0;
      for (std::size_t m = 0; m < other.label.size(); ++m) {
        if (other.label[m] == k) mean += other.row(m), ++count;
      }
      const VectorXd moved = fit[i].mean - mean / count;
      const VectorXd said = shifts.row(static_cast<Eigen::Index>(n));
      EXPECT_NEAR(std::min((moved - said).norm(), (moved + said).norm()), 0, 1e-12);
    }
  }
}

// Fixed points of (23), (24) and (26); the budget of (9) is used up.
TEST(PublishedGmm, UpdatesHoldAtTheEnd) {
  for (const double epsilon : {.1, 1., 4., 20.}) {
    const LabelledRows rows = labelled_rows(small_table(2));
    const double delta = 1e-5;
    const PublishedDesign design = design_published(rows, epsilon, delta);
    double dearest = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const PublishedClass& c = design.fit[k];
      const double wishart = 1.5 * design.gamma[k] / c.rows, own = design.epsilon_mean[k];
      EXPECT_GT(own, 0);
      EXPECT_LE(design.gamma[k], 1.5 * c.precision.trace() * (1 + 1e-12));
      EXPECT_NEAR(own + wishart + design.epsilon0, epsilon, 1e-12 * epsilon);
      dearest = std::max(dearest, own + wishart);
      // (20): every neighbour's shift is within the noise.
      const MatrixXd shifts = label_shifts(rows, c, static_cast<int>(k));
      const MatrixXd gamma = design.mean_noise[k].inverse();
      const double most = (shifts * gamma).cwiseProduct(shifts).rowwise().sum().maxCoeff();
      EXPECT_NEAR(most, own * own / (2 * std::log(2 / delta)), 1e-6 * most);
    }
    EXPECT_NEAR(design.epsilon0, epsilon - dearest, 1e-12 * epsilon);
    EXPECT_NEAR(design.epsilon0, epsilon / 3, 1e-12 * epsilon);  // nothing is ever reallocated
    EXPECT_LE(design.gap, 1e-6);
  }
}

// Numbers of alg1_design in the project's Python prototype (oracle/lib.py, NumPy), on Iris.
TEST(PublishedGmm, AgreesWithThePrototype) {
  const LabelledRows rows = labelled_rows(iris());
  const struct {
    double epsilon, column, claimed, trace[3], corner;
  } expected[] = {{1,
                   .7467722462813973,
                   44.87398941865672,
                   {125.80187384438686, 23.275466345714236, 27.432074762593672},
                   .5972986777223926},
                  {4,
                   .29458790629774956,
                   3.1680634516917,
                   {7.862617115274179, 1.4547166466071397, 1.7145046726621045},
                   .03733116735764954}};
  for (const auto& e : expected) {
    PublishedOptions options;
    options.tolerance = 1e-8;
    const PublishedDesign design = design_published(rows, e.epsilon, 1e-5, options);
    const std::vector<double>& p = design.weights.probability;
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.), e.column, 1e-9);
    EXPECT_NEAR(design.claimed_kl, e.claimed, 1e-6 * e.claimed);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(design.epsilon_mean[k], e.epsilon / 3, 1e-9);
      EXPECT_NEAR(design.gamma[k], 100 * e.epsilon / 9, 1e-9);
      EXPECT_NEAR(design.mean_noise[k].cwiseProduct(design.fit[k].precision).sum(), e.trace[k],
                  1e-6 * e.trace[k]);
    }
    EXPECT_NEAR(design.mean_noise[2](0, 0), e.corner, 1e-3 * e.corner);
    EXPECT_EQ(design.iterations, 2);
  }
}

TEST(PublishedGmm, RecordLevel) {
  const LabelledRows rows = labelled_rows(small_table(3));
  PublishedOptions options;
  options.level = PublishedLevel::record;
  options.clip = 4;
  const PublishedDesign design = design_published(rows, 1, 1e-5, options);
  const LabelledRows clipped = clip_rows(rows, 4);
  for (std::size_t n = 0; n < rows.label.size(); ++n) {
    const double norm = rows.row(n).norm();
    EXPECT_NEAR((clipped.row(n) - rows.row(n) * std::min(1., 4 / norm)).norm(), 0, 1e-12);
  }
  const auto fit = published_fit(clipped);
  EXPECT_EQ(design.epsilon0, 0);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(design.fit[k].covariance, fit[k].covariance);
    // (33) with 8 B^2: Gamma^-1 = 8 B^2 ln(2 / delta) / (N_k epsilon_k)^2.
    const double n = fit[k].rows, own = design.epsilon_mean[k];
    const double variance = 8 * 16 * std::log(2e5) / (n * n * own * own);
    EXPECT_NEAR((design.mean_noise[k] - MatrixXd::Identity(2, 2) * variance).norm(), 0,
                1e-12 * variance);
    EXPECT_NEAR(own + 1.5 * design.gamma[k] / n, 1, 1e-12);
  }
  RandomStream random(key_of(1));
  const GaussianMixture released = draw_published(random, design);
  for (std::size_t k = 0; k < 3; ++k) {  // weights as they are
    EXPECT_EQ(released.components[k].weight, fit[k].rows / 200.);
  }
}

// Means, covariances of (5), W of (6), over many draws.
TEST(PublishedGmm, DrawsFollowTheDesign) {
  const PublishedDesign design = design_published(labelled_rows(small_table(4)), 2, 1e-5);
  RandomStream random(key_of(2));
  constexpr int draws = 4000;
  MatrixXd square = MatrixXd::Zero(2, 2), widening = MatrixXd::Zero(2, 2);
  for (int n = 0; n < draws; ++n) {
    const GaussianMixture released = draw_published(random, design);
    const GaussianMixture::Component& c = released.components[0];
    const VectorXd w = Eigen::Map<const VectorXd>(c.mean.data(), 2) - design.fit[0].mean;
    square += w * w.transpose() / draws;
    widening +=
        (Eigen::Map<const MatrixXd>(c.covariance.data(), 2, 2) - design.fit[0].covariance) / draws;
  }
  const double size = design.mean_noise[0].norm();
  EXPECT_LE((square - design.mean_noise[0]).norm(), .15 * size);
  // E W = (d + 1) I / gamma.
  EXPECT_LE((widening * design.gamma[0] - 3 * MatrixXd::Identity(2, 2)).norm(), .3);
}

TEST(PublishedGmm, ReleasesAreValid) {
  std::mt19937_64 seeds(5);
  for (int trial = 0; trial < 10; ++trial) {
    const Table table = simulated_table(seeds, 5, 3, 200);
    const PublishedDesign design = design_published(labelled_rows(table), .5 + trial, 1e-6);
    RandomStream random(key_of(static_cast<std::uint64_t>(trial)));
    for (int n = 0; n < 20; ++n) {
      const GaussianMixture released = draw_published(random, design);
      double sum = 0;
      for (const GaussianMixture::Component& c : released.components) {
        EXPECT_GE(c.rows, 1);
        sum += c.weight;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      EXPECT_NO_THROW(GmmSampler{released});
      EXPECT_GE(gmm_kl(released, mixture_of(design.fit), same_order(5)), 0);
    }
  }
}

TEST(PublishedGmm, Refuses) {
  LabelledRows rows = labelled_rows(small_table(6));
  EXPECT_THROW(published_fit({2, 1, rows.label, rows.value}), Error);
  EXPECT_THROW(published_fit({2, 4, rows.label, rows.value}), Error);  // an empty class
  LabelledRows constant = rows, collinear = rows;
  for (std::size_t n = 0; n < rows.label.size(); ++n) {
    constant.value[2 * n] = 7;
    collinear.value[2 * n] = 3 * collinear.value[2 * n + 1] + 1;
  }
  EXPECT_THROW(published_fit(constant), Error);
  EXPECT_THROW(published_fit(collinear), Error);
}

// The toy case of the paper: one feature, sigma^2 = 1, gamma = 10. Proposition 1 gives
// (2 / gamma + ln gamma) / 2 - (ln 2 + psi(1)) / 2 = 1.193 where the divergence of the noise is
// .0148: it drops Sigma inside the logarithm.
TEST(PublishedGmm, PropositionOneIsNotTheDivergence) {
  const double gamma = 10, euler = .57721566490153286;
  const double claimed = (2 / gamma + std::log(gamma) - std::log(2.) + euler) / 2;
  EXPECT_NEAR(claimed, 1.193, .001);
  double truth = 0;  // E of (W - ln(1 + W)) / 2 over W of density (gamma / 2) e^(-gamma w / 2)
  constexpr int steps = 200000;
  for (int i = 0; i < steps; ++i) {
    const double w = -2 / gamma * std::log((i + .5) / steps);
    truth += (w - std::log1p(w)) / 2 / steps;
  }
  EXPECT_NEAR(truth, .0148, .0001);
}

}  // namespace
}  // namespace dpmix::test
