#include "core/copula/model.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <random>

#include "tables/tree_models.hpp"

namespace dpmix {
namespace {

using test::at;

// Columns of categories with these shares, in a single class.
TreeModel columns_of(const std::vector<std::vector<double>>& shares) {
  TreeModel model;
  model.tables.classes = {1000};
  for (const std::vector<double>& share : shares) {
    const auto count = static_cast<int>(share.size());
    CutColumn column = cut_column({.categories = count, .missing = false, .nullable = false}, 32);
    model.columns.push_back(std::move(column));
    model.tables.codes.push_back(count);
    model.tables.columns.emplace_back();
    for (const double p : share) model.tables.columns.back().push_back(1000 * p);
  }
  return model;
}

std::vector<double> scores(const TreeModel& model, int column, int count) {
  const CodeScores all = scores_of(model);
  std::vector<double> found, x(model.columns.size(), 0.), row(x.size());
  for (int c = 0; c < count; ++c) {
    x[at(column)] = c;
    all.look_up(0, x, row.data());
    found.push_back(row[at(column)]);
  }
  return found;
}

TEST(CopulaScores, AreMeansOfTheNormalNumbersOfARank) {
  const TreeModel model = columns_of({{.5, .5}, {.25, .5, .25}});
  const std::vector<double> two = scores(model, 0, 2), three = scores(model, 1, 3);
  EXPECT_NEAR(two[0], -std::sqrt(2 / M_PI), 1e-9);
  EXPECT_NEAR(two[1], std::sqrt(2 / M_PI), 1e-9);
  EXPECT_NEAR(three[0], -1.2711063, 1e-6);  // -phi(z) / .25, z the quartile
  EXPECT_NEAR(three[1], 0, 1e-9);
  EXPECT_NEAR(three[2], 1.2711063, 1e-6);
}

// Whatever was released, they ascend, have mean 0 but for what the bounds cut off, and stay within.
TEST(CopulaScores, AscendWithinTheirBounds) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> share(2 + random() % 30);
    double sum = 0;
    for (double& p : share) sum += p = random() % 3 == 0 ? 0 : std::exp(-double(random() % 30));
    if (sum == 0) share[0] = sum = 1;
    for (double& p : share) p /= sum;
    const std::vector<double> found = scores(columns_of({share}), 0, int(share.size()));
    double mean = 0;
    for (std::size_t c = 0; c < share.size(); ++c) {
      EXPECT_GE(found[c], c == 0 ? -CodeScores::most : found[c - 1] - 1e-6);
      EXPECT_LE(std::abs(found[c]), CodeScores::most);
      mean += share[c] * found[c];
    }
    EXPECT_NEAR(mean, 0, 2e-3);
  }
}

// Categories go as their shares of the classes do; numbers ascend, whatever these are.
TEST(CopulaScores, CategoriesAreInTheOrderThatClassesGiveThem) {
  TreeModel model = columns_of({{.2, .2, .2, .2, .2}, {.2, .2, .2, .2, .2}});
  model.columns[1] = cut_column({.lower = 0, .upper = 4, .whole = true, .missing = false}, 32);
  model.tables.classes = {500, 500};
  for (std::vector<double>& rows : model.tables.columns) {
    rows = {10, 190, 100, 150, 50, 190, 10, 100, 50, 150};
  }
  std::vector<std::vector<int>> orders = rank_orders(model);
  if (orders[0].front() == 1) std::reverse(orders[0].begin(), orders[0].end());
  EXPECT_EQ(orders[0], (std::vector<int>{0, 4, 2, 3, 1}));
  EXPECT_EQ(orders[1], (std::vector<int>{0, 1, 2, 3, 4}));
  model.tables.classes = {1000};
  for (std::vector<double>& rows : model.tables.columns) rows.resize(5);
  EXPECT_EQ(rank_orders(model)[0], (std::vector<int>{0, 1, 2, 3, 4}));
}

GaussianMixture mixture_of(std::vector<double> covariance) {
  const int d = static_cast<int>(std::lround(std::sqrt(double(covariance.size()))));
  return {d, {{1, 100, std::vector<double>(at(d), 0.), std::move(covariance)}}};
}

// Scores of two equal halves are +-sqrt(2/pi), of the same sign with probability 1/2 + asin(r)/pi.
TEST(CopulaModelTest, FindsTheCorrelationBehindHalves) {
  const double r = .3, covariance = 4 / (M_PI * M_PI) * std::asin(r), variance = 2 / M_PI;
  const CopulaModel model = copula_of(columns_of({{.5, .5}, {.5, .5}}),
                                      mixture_of({variance, covariance, covariance, variance}));
  EXPECT_NEAR(model.correlation[0](0, 1), r, .01);
  EXPECT_DOUBLE_EQ(model.correlation[0](0, 0), 1);
}

TEST(CopulaModelTest, CorrelationsAreAlwaysSome) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 200; ++round) {
    const int d = 1 + static_cast<int>(random() % 6);
    std::vector<std::vector<double>> shares;
    for (int i = 0; i < d; ++i) {
      const double p = random() % 4 == 0 ? 1e-9 : .3;
      shares.push_back({p, 1 - p});
    }
    std::vector<double> covariance(at(d * d));
    for (int a = 0; a < d; ++a) {
      for (int b = 0; b <= a; ++b) {
        covariance[at(a * d + b)] = covariance[at(b * d + a)] = 3 * normal(random);
      }
    }
    const Matrix found = copula_of(columns_of(shares), mixture_of(covariance)).correlation[0];
    EXPECT_TRUE(found.isApprox(found.transpose()));
    EXPECT_TRUE(found.diagonal().isApproxToConstant(1));
    EXPECT_EQ(Eigen::LLT<Matrix>(found).info(), Eigen::Success);
    for (int i = 0; i < d; ++i) {  // nothing goes with a column of one value
      if (shares[at(i)][0] == .3) continue;
      EXPECT_NEAR(found.row(i).cwiseAbs().sum(), 1, 1e-6);
    }
  }
}

}  // namespace
}  // namespace dpmix
