// Median divergence of released mixtures from the plain fit, on the tables of the published
// experiments: a release must beat iid Gaussian noise with honest sensitivities.
// DPMIX_SOAK=1 prints every setting of docs/proofs/gmm.md.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "core/mechanism/gaussian_dp.hpp"
#include "gmm_tables.hpp"

namespace dpmix::test {
namespace {

struct Divergence {
  double forward, reverse;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Divergence divergence(const std::vector<Table>& tables, int releases, double epsilon,
                      Adjacency adjacency, CovarianceShape shape, GmmObjective objective) {
  const double mu = gdp_mu(epsilon, 1e-5);
  std::vector<double> forward, reverse;
  std::uint64_t seed = 1000000;
  for (const Table& table : tables) {
    const GaussianMixture fit = plain_fit(table);
    std::vector<int> same(fit.components.size());
    std::iota(same.begin(), same.end(), 0);
    for (int n = 0; n < releases; ++n) {
      const GaussianMixture released =
          private_fit(table, mu, ++seed, adjacency, shape, objective).mixture;
      forward.push_back(gmm_kl(released, fit, same));
      reverse.push_back(gmm_kl(fit, released, same));
    }
  }
  return {median(forward), median(reverse)};
}

std::vector<Table> simulated_tables(int features, int rows) {
  std::mt19937_64 random(20260);  // not the tables that the model was tuned on
  std::vector<Table> tables;
  for (int n = 0; n < 60; ++n) tables.push_back(simulated_table(random, 5, features, rows));
  return tables;
}

// The notes' box: three standard deviations about the mean.
Table iris_in_three_deviations() {
  Table table = iris();
  for (std::size_t i = 0; i < 4; ++i) {
    double mean = 0, square = 0;
    for (const auto& x : table.row) mean += x[i] / 150;
    for (const auto& x : table.row) square += (x[i] - mean) * (x[i] - mean) / 149;
    table.lower[i] = mean - 3 * std::sqrt(square);
    table.upper[i] = mean + 3 * std::sqrt(square);
  }
  return table;
}

// The baseline: counts, sums and second moments over the box [-R, R]^d, a third of mu^2 each, with
// iid Gaussian noise of honest sensitivity; eigenvalues forced into [.01, R^2].
GaussianMixture independent_noise(const Table& table, double mu, std::mt19937_64& random) {
  const int d = table.features;
  const double r = table.upper[0], n_all = static_cast<double>(table.row.size());
  const double unit = std::sqrt(3.) / mu;
  std::normal_distribution<double> normal;
  GaussianMixture mixture = plain_fit(table);
  double total = 0;
  for (GaussianMixture::Component& c : mixture.components) {
    Eigen::Map<Eigen::VectorXd> mean(c.mean.data(), d);
    Eigen::Map<Matrix> covariance(c.covariance.data(), d, d);
    const double n = c.weight * n_all;
    Matrix square = (n - 1) * covariance + n * mean * mean.transpose();
    for (int i = 0; i < d; ++i) {
      for (int j = i; j < d; ++j) {
        square(i, j) += unit * std::sqrt(d * (d + 1) / 2.) * r * r * normal(random);
        square(j, i) = square(i, j);
      }
    }
    c.weight = std::max(n + unit * normal(random), 1.);
    total += c.weight;
    for (int i = 0; i < d; ++i) {
      const double sum = n * mean[i] + unit * std::sqrt(d) * r * normal(random);
      mean[i] = std::clamp(sum / c.weight, -r, r);
    }
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(square / c.weight - mean * mean.transpose());
    const Matrix axes = solver.eigenvectors();
    const Eigen::VectorXd variances = solver.eigenvalues().cwiseMax(.01).cwiseMin(r * r);
    covariance = axes * variances.asDiagonal() * axes.transpose();
  }
  for (GaussianMixture::Component& c : mixture.components) c.weight /= total;
  return mixture;
}

// Tables and noise have fixed seeds, so this is no matter of chance.
TEST(GmmAccuracy, BeatsIndependentNoise) {
  struct Setting {
    int features, rows;
    double epsilon;
  };
  for (const Setting s :
       {Setting{3, 1000, 1}, {3, 1000, 4}, {3, 10000, 1}, {3, 10000, 4}, {10, 10000, 1}}) {
    const std::vector<Table> tables = simulated_tables(s.features, s.rows);
    std::mt19937_64 random(7);
    std::vector<double> baseline;
    for (const Table& table : tables) {
      baseline.push_back(gmm_kl(independent_noise(table, gdp_mu(s.epsilon, 1e-5), random),
                                plain_fit(table), {0, 1, 2, 3, 4}));
    }
    const double kl = divergence(tables, 1, s.epsilon, Adjacency::add_remove, CovarianceShape::full,
                                 GmmObjective::balanced)
                          .forward;
    std::printf("d=%d N=%d epsilon=%g: median KL %.3g, iid Gaussian %.3g\n", s.features, s.rows,
                s.epsilon, kl, median(baseline));
    EXPECT_LT(kl, median(baseline));
  }
}

TEST(GmmAccuracy, Table) {
  if (std::getenv("DPMIX_SOAK") == nullptr) GTEST_SKIP() << "DPMIX_SOAK=1 measures";
  const auto report = [](const char* name, const std::vector<Table>& tables, int releases) {
    for (const double epsilon : {1., 4.}) {
      std::printf("| %s ε=%g |", name, epsilon);
      for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
        for (const GmmObjective objective : {GmmObjective::balanced, GmmObjective::forward_kl}) {
          const Divergence d =
              divergence(tables, releases, epsilon, adjacency, CovarianceShape::full, objective);
          std::printf(" %.2g / %.2g |", d.forward, d.reverse);
        }
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  };
  report("d=3 N=1e3", simulated_tables(3, 1000), 1);
  report("d=3 N=1e4", simulated_tables(3, 10000), 1);
  report("d=3 N=1e5", simulated_tables(3, 100000), 1);
  report("d=10 N=1e4", simulated_tables(10, 10000), 1);
  report("Iris ±3 sd", {iris_in_three_deviations()}, 200);
  report("Iris, declared bounds", {iris()}, 200);
}

}  // namespace
}  // namespace dpmix::test
