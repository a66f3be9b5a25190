// What private principal components are worth, on rows that lie near few dimensions: the mixture of
// five classes in d features with and without `dimensions`, against the same made without privacy.
// DPMIX_SOAK=1 prints the table of docs/proofs/gmm_pca.md.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "core/mechanism/gaussian_dp.hpp"
#include "core/release/mixture_density.hpp"
#include "gmm_tables.hpp"

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
  Table table{d,  classes, std::vector<double>(static_cast<std::size_t>(d), -bound),
              std::vector<double>(static_cast<std::size_t>(d), bound), factors.label, {}};
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
  const Matrix covariance =
      Eigen::Map<const Matrix>(all.components[0].covariance.data(), d, d);
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

struct Setting {
  int d, p, rows;
  double residual;
  int tables;
};

TEST(GmmProjected, Table) {
  if (std::getenv("DPMIX_SOAK") == nullptr) GTEST_SKIP() << "DPMIX_SOAK=1 measures";
  const int factor = std::getenv("DPMIX_TABLES") ? std::atoi(std::getenv("DPMIX_TABLES")) : 1;
  for (const Setting s : {Setting{50, 5, getenv("NN")?atoi(getenv("NN")):10000, .5, 3}}) {
    std::mt19937_64 random(77);
    for (const double epsilon : {getenv("EE")?atof(getenv("EE")):1.}) {
      std::vector<double> with, without, diagonal, right_with, right_without, right_plain, right_diag;
      for (int n = 0; n < s.tables * factor; ++n) {
        const Table table = low_rank_table(random, 5, s.d, s.p, s.rows, s.residual);
        const GaussianMixture truth = plain_projected_fit(table, s.p);
        right_plain.push_back(accuracy(truth, table));
        GmmRequest request = request_of(table, gdp_mu(epsilon, 1e-5));
        request.dimensions = s.p;
        const GaussianMixture a = release(request, table, random(), GmmObjective::forward_kl).mixture;
        with.push_back(gmm_kl(a, truth, same(truth)));
        if (getenv("VV")) for (int k = 0; k < 5; ++k) {
          const Matrix A = Eigen::Map<const Matrix>(a.components[k].covariance.data(), s.d, s.d), T = Eigen::Map<const Matrix>(truth.components[k].covariance.data(), s.d, s.d);
          const Eigen::SelfAdjointEigenSolver<Matrix> ts(T);
          const Eigen::VectorXd seen = (ts.eigenvectors().transpose() * A * ts.eigenvectors()).diagonal();
          const Eigen::VectorXd ratio = seen.cwiseQuotient(ts.eigenvalues());
          std::printf(" k=%d w=%.3f/%.3f kl=%.4f resid %.4f top", k, a.components[k].weight, truth.components[k].weight, gmm_kl({s.d, {a.components[k]}}, {s.d, {truth.components[k]}}, {0}), ratio.head(45).mean());
          for (int i = 45; i < 50; ++i) std::printf(" %.3f", ratio[i]);
          std::printf("\n");
        }
        right_with.push_back(accuracy(a, table));
        request.dimensions = std::nullopt;
        const GaussianMixture b = release(request, table, random(), GmmObjective::forward_kl).mixture;
        without.push_back(gmm_kl(b, truth, same(truth)));
        right_without.push_back(accuracy(b, table));
        request.shape = CovarianceShape::diagonal;
        const GaussianMixture e = release(request, table, random(), GmmObjective::forward_kl).mixture;
        diagonal.push_back(gmm_kl(e, truth, same(truth)));
        right_diag.push_back(accuracy(e, table));
      }
      std::printf("d=%d p=%d N=%d residual=%g eps=%g: KL with %.3g without %.3g diagonal %.3g | right %.3f %.3f %.3f %.3f\n",
                  s.d, s.p, s.rows, s.residual, epsilon, median(with), median(without), median(diagonal),
                  median(right_with), median(right_without), median(right_diag), median(right_plain));
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace dpmix::test
