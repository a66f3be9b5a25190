// What private principal components are worth, on rows that lie near few dimensions: the mixture of
// five classes in d features with and without `dimensions`, against the same made without privacy.
// DPMIX_SOAK=1 prints the table of docs/proofs/mixture_projected.md.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "core/mixture/density.hpp"
#include "core/mixture/divergence.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "tables/mixture_tables.hpp"

namespace dpmix::test {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// x = U y + noise: y of simulated_table's law in p dimensions, U with orthonormal columns, noise of
// deviation `residual` in every feature; bounds that hold nearly all rows.
Table low_rank_table(std::mt19937_64& random, int classes, int d, int p, int rows,
                     double residual) {
  const Table factors = simulated_table(random, classes, p, rows);
  std::normal_distribution<double> normal;
  const auto number = [&] { return normal(random); };
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(Eigen::MatrixXd::NullaryExpr(d, p, number));
  const Eigen::MatrixXd axes = qr.householderQ() * Eigen::MatrixXd::Identity(d, p);
  const double bound = 12 + 4 * residual;
  Table table{d,
              classes,
              std::vector<double>(static_cast<std::size_t>(d), -bound),
              std::vector<double>(static_cast<std::size_t>(d), bound),
              factors.label,
              {}};
  for (const auto& y : factors.row) {
    const Eigen::VectorXd x = axes * Eigen::Map<const Eigen::VectorXd>(y.data(), p) +
                              residual * Eigen::VectorXd::NullaryExpr(d, number);
    table.row.emplace_back(x.data(), x.data() + d);
  }
  return table;
}

// Principal components of the rows themselves, plain fits in them, and back, with what is left
// outside of them in common: the mixture that `dimensions` would make without noise.
GaussianMixture plain_projected_fit(const Table& table, int p) {
  const int d = table.features;
  const GaussianMixture fit = plain_fit(table), all = [&] {
    Table one = without_labels(table);
    one.classes = 1;
    return plain_fit(one);
  }();
  const Matrix covariance = Eigen::Map<const Matrix>(all.components[0].covariance.data(), d, d);
  const Eigen::Map<const Eigen::VectorXd> centre(all.components[0].mean.data(), d);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(covariance);
  const Matrix axes = solver.eigenvectors().rightCols(p);
  const double left = solver.eigenvalues().head(d - p).mean();
  const Matrix on = axes * axes.transpose(), off = Matrix::Identity(d, d) - on;
  GaussianMixture out = fit;
  for (GaussianMixture::Component& c : out.components) {
    Eigen::Map<Eigen::VectorXd> mean(c.mean.data(), d);
    Eigen::Map<Matrix> covariance_of(c.covariance.data(), d, d);
    mean = centre + on * (mean - centre).eval();
    covariance_of = (on * covariance_of * on + left * off).eval();
  }
  return out;
}

double accuracy(const GaussianMixture& mixture, const Table& table) {
  const MixtureDensity density(mixture);
  std::vector<double> each(mixture.components.size());
  int right = 0;
  for (std::size_t n = 0; n < table.row.size(); ++n) {
    density.log_densities(table.row[n].data(), each.data());
    right += std::max_element(each.begin(), each.end()) - each.begin() == table.label[n];
  }
  return static_cast<double>(right) / static_cast<double>(table.row.size());
}

std::vector<int> same(const GaussianMixture& mixture) {
  std::vector<int> match(mixture.components.size());
  std::iota(match.begin(), match.end(), 0);
  return match;
}

// Medians over tables: KL(released || plain principal components and fits) and the share of rows
// whose class is the likeliest.
struct Worth {
  double with, without, right_with, right_without, right_plain;
};

Worth worth(int classes, int d, int p, int rows, double epsilon, int tables) {
  std::mt19937_64 random(77);
  std::vector<double> with, without, right_with, right_without, right_plain;
  for (int n = 0; n < tables; ++n) {
    const Table table = low_rank_table(random, classes, d, p, rows, .5);
    const GaussianMixture plain = plain_projected_fit(table, p);
    right_plain.push_back(accuracy(plain, table));
    GmmRequest request = request_of(table, gdp_mu(epsilon, 1e-5));
    const auto measure = [&](std::vector<double>& divergence, std::vector<double>& right) {
      const GaussianMixture m = release(request, table, random(), GmmObjective::forward_kl).mixture;
      divergence.push_back(gmm_kl(m, plain, same(plain)));
      right.push_back(accuracy(m, table));
    };
    measure(without, right_without);
    request.dimensions = p;
    measure(with, right_with);
  }
  return {median(with), median(without), median(right_with), median(right_without),
          median(right_plain)};
}

// Tables and noise have fixed seeds, so this is no matter of chance.
TEST(GmmProjected, HelpsWhereRowsLieNearFewDimensions) {
  const Worth w = worth(3, 30, 3, 10000, 4, 3);
  EXPECT_LT(w.with, w.without / 3);
  EXPECT_GT(w.right_with, w.right_plain - .01);
}

TEST(GmmProjected, Table) {
  if (std::getenv("DPMIX_SOAK") == nullptr) GTEST_SKIP() << "DPMIX_SOAK=1 measures";
  struct Setting {
    int classes, d, p, rows, tables;
  };
  for (const Setting s : {Setting{5, 50, 5, 3000, 9},
                          {5, 50, 5, 10000, 9},
                          {5, 50, 5, 100000, 3},
                          {10, 100, 10, 60000, 1}}) {
    for (const double epsilon : {1., 4.}) {
      const Worth w = worth(s.classes, s.d, s.p, s.rows, epsilon, s.tables);
      std::printf("| K=%d d=%d p=%d N=%d ε=%g | %.2g | %.2g | %.3f | %.3f | %.3f |\n", s.classes,
                  s.d, s.p, s.rows, epsilon, w.with, w.without, w.right_with, w.right_without,
                  w.right_plain);
      std::fflush(stdout);
    }
  }
}

// Diagonal covariances: means uniform in [-10, 10]^d, deviations in [.5, 3], bounds +-20.
Table diagonal_table(std::mt19937_64& random, int classes, int d, int rows) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto n = static_cast<std::size_t>(d);
  Table table{d, classes, std::vector<double>(n, -20), std::vector<double>(n, 20), {}, {}};
  std::vector<std::vector<double>> mean(static_cast<std::size_t>(classes)), deviation = mean;
  for (std::size_t k = 0; k < mean.size(); ++k) {
    for (int i = 0; i < d; ++i) {
      mean[k].push_back(20 * uniform(random) - 10);
      deviation[k].push_back(.5 + 2.5 * uniform(random));
    }
  }
  for (int r = 0; r < rows; ++r) {
    const std::size_t k = random() % mean.size();
    std::vector<double> x;
    for (std::size_t i = 0; i < n; ++i) x.push_back(mean[k][i] + deviation[k][i] * normal(random));
    table.row.push_back(x);
    table.label.push_back(static_cast<int>(k));
  }
  return table;
}

TEST(GmmDiagonal, Table) {
  if (std::getenv("DPMIX_SOAK") == nullptr) GTEST_SKIP() << "DPMIX_SOAK=1 measures";
  for (const int d : {20, 50, 100}) {
    for (const int rows : {10000, 100000}) {
      for (const double epsilon : {1., 4.}) {
        std::mt19937_64 random(78);
        std::vector<double> divergence, right;
        for (int n = 0; n < (rows > 10000 ? 1 : 5); ++n) {
          const Table table = diagonal_table(random, 5, d, rows);
          GaussianMixture plain = plain_fit(table);
          for (GaussianMixture::Component& c : plain.components) {
            for (int i = 0; i < d * d; ++i) {
              if (i % (d + 1) != 0) c.covariance[static_cast<std::size_t>(i)] = 0;
            }
          }
          const GaussianMixture m =
              release(request_of(table, gdp_mu(epsilon, 1e-5), Adjacency::add_remove,
                                 CovarianceShape::diagonal),
                      table, random(), GmmObjective::forward_kl)
                  .mixture;
          divergence.push_back(gmm_kl(m, plain, same(plain)));
          right.push_back(accuracy(m, table));
        }
        std::printf("| d=%d N=%d ε=%g | %.3g | %.3f |\n", d, rows, epsilon, median(divergence),
                    median(right));
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace
}  // namespace dpmix::test
