#include "core/copula/model.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/index.hpp"
#include "core/base/normal_tail.hpp"
#include "core/tree_model/law.hpp"

namespace dpmix {
namespace {

constexpr double least_spread = .02;  // of a column's scores: with less, nothing goes with it
constexpr double most_correlation = .99, least_eigenvalue = 1e-3;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double normal_quantile(double p) {
  constexpr double least = 1e-12;
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * std::clamp(p, least, 1 - least));
}

// order: of the codes.
std::vector<double> normal_scores(std::span<const double> probability, std::span<const int> order) {
  std::vector<double> scores(probability.size());
  double below = 0, low = -HUGE_VAL;  // rank and normal number where a code begins
  for (const int code : order) {
    const double p = probability[index(code)];
    const double rank = below + p, high = rank >= 1 ? HUGE_VAL : normal_quantile(rank);
    const double mean = p > 1e-6 ? (normal_density(low) - normal_density(high)) / p
                                 : normal_quantile(below + p / 2);
    scores[index(code)] = std::clamp(mean, -CodeScores::most, CodeScores::most);
    below = rank;
    low = high;
  }
  return scores;
}

std::span<const double> of_class(const ConditionalTable& table, int k) {
  return std::span(table.probability).subspan(index(k * table.codes), index(table.codes));
}

// Nearest that is one, roughly: small and negative eigenvalues are raised.
Matrix correlation_of(Matrix matrix) {
  const Spectrum spectrum = spectrum_of(matrix);
  matrix = spectrum.with(spectrum.values.cwiseMax(least_eigenvalue));
  const Vector scale = matrix.diagonal().cwiseSqrt().cwiseInverse();
  return scale.asDiagonal() * matrix * scale.asDiagonal();
}

}  // namespace

std::vector<std::vector<int>> rank_orders(const TreeModel& columns) {
  const TreeTables& tables = columns.tables;
  const Eigen::Index classes = tables.class_count();
  std::vector<std::vector<int>> orders;
  for (std::size_t i = 0; i < columns.columns.size(); ++i) {
    std::vector<int>& order = orders.emplace_back(index(tables.codes[i]));
    std::iota(order.begin(), order.end(), 0);
    if (columns.columns[i].ordered() || classes == 1) continue;
    const Eigen::Map<const RowMajor> rows(tables.columns[i].data(), classes, tables.codes[i]);
    const Vector of_class = rows.rowwise().sum().cwiseMax(1e-9);
    const Eigen::RowVectorXd of_code = rows.colwise().sum().cwiseMax(1e-9);
    const Matrix expected = of_class * of_code / of_class.sum();
    const Matrix far = (rows - expected).cwiseQuotient(expected.cwiseSqrt());
    const Vector axis = spectrum_of(product(far, far.transpose())).vectors.col(classes - 1);
    const Vector place = (axis.transpose() * far).cwiseQuotient(of_code.cwiseSqrt()).transpose();
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return place[a] < place[b]; });
  }
  return orders;
}

CodeScores scores_of(const TreeModel& columns) {
  const TreeLaw law(columns);
  const std::vector<std::vector<int>> orders = rank_orders(columns);
  const int classes = columns.tables.class_count();
  std::vector<ColumnCells> cells;
  for (const CutColumn& column : columns.columns) cells.push_back(column.cells);
  std::vector<std::vector<double>> scores(columns.columns.size());
  for (const ConditionalTable& table : law.tables()) {
    for (int k = 0; k < classes; ++k) {
      const std::vector<double> of = normal_scores(of_class(table, k), orders[index(table.column)]);
      std::vector<double>& all = scores[index(table.column)];
      all.insert(all.end(), of.begin(), of.end());
    }
  }
  return CodeScores(classes, std::move(cells), std::move(scores));
}

// If a and b are normal with correlation r, the scores of their codes have about the covariance
// r s_a s_b, s being the variance of scores (docs/proofs/copula.md).
CopulaModel copula_of(TreeModel columns, const GaussianMixture& scores) {
  const TreeLaw law(columns);
  const std::vector<std::vector<int>> orders = rank_orders(columns);
  const Eigen::Index d = law.columns();
  CopulaModel model;
  for (int k = 0; k < columns.tables.class_count(); ++k) {
    Vector spread(d);
    for (const ConditionalTable& table : law.tables()) {
      const std::span<const double> p = of_class(table, k);
      const std::vector<double> s = normal_scores(p, orders[index(table.column)]);
      double& sum = spread[table.column] = 0;
      for (std::size_t c = 0; c < s.size(); ++c) sum += p[c] * s[c] * s[c];
    }
    const std::vector<double>& covariance = scores.components[index(k)].covariance;
    Matrix correlation = Matrix::Identity(d, d);
    for (Eigen::Index a = 0; a < d; ++a) {
      for (Eigen::Index b = 0; b < d; ++b) {
        if (a == b || std::min(spread[a], spread[b]) < least_spread) continue;
        const double r = covariance[static_cast<std::size_t>(a * d + b)] / (spread[a] * spread[b]);
        correlation(a, b) = std::clamp(r, -most_correlation, most_correlation);
      }
    }
    model.correlation.push_back(correlation_of(std::move(correlation)));
  }
  model.columns = std::move(columns);
  return model;
}

}  // namespace dpmix
