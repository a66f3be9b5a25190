#include "core/copula/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tables/copula_releases.hpp"
#include "tables/tree_models.hpp"

namespace dpmix {
namespace {

using test::at;

Matrix two_by_two(double r) {
  Matrix matrix = Matrix::Identity(2, 2);
  matrix(0, 1) = matrix(1, 0) = r;
  return matrix;
}

// Each code is as frequent in its class as its share, but for less than one row; high ranks go with
// high ones where the correlation says so, and with low ones where it says that.
TEST(CopulaSampler, KeepsColumnsAndRanks) {
  std::mt19937_64 random(7);
  CopulaModel model{test::model_of_joint(random, 2, {4, 6}, {}),
                    {two_by_two(.95), two_by_two(-.95)}};
  for (const int i : {0, 1}) {  // numbers, which have an order
    const ColumnValues values = {
        .lower = 0, .upper = i == 0 ? 3. : 5., .whole = true, .missing = false};
    model.columns.columns[at(i)] = cut_column(values, 32);
  }
  const TreeLaw law(model.columns);
  CopulaSampler sampler(model);
  RandomStream stream({8});
  for (const int rows : {1, 3, 100, 20'000}) {
    sampler.draw(stream, rows);
    std::vector<double> classes(2);
    std::vector<std::vector<double>> counts = {std::vector<double>(8), std::vector<double>(12)};
    double together[2] = {}, mean[2][2] = {};
    for (int r = 0; r < rows; ++r) {
      const int k = sampler.label(r);
      ++classes[at(k)];
      const double a = sampler.value(stream, r, 0), b = sampler.value(stream, r, 1);
      ++counts[0][at(k * 4 + int(a))], ++counts[1][at(k * 6 + int(b))];
      together[k] += a * b, mean[k][0] += a, mean[k][1] += b;
    }
    for (const ConditionalTable& table : law.tables()) {
      for (int k = 0; k < 2; ++k) {
        for (int c = 0; c < table.codes; ++c) {
          const double share = classes[at(k)] * table.probability[at(k * table.codes + c)];
          ASSERT_LT(std::abs(counts[at(table.column)][at(k * table.codes + c)] - share), 1 + 1e-9);
        }
      }
    }
    if (rows < 1000) continue;
    for (int k = 0; k < 2; ++k) {
      const double n = classes[at(k)];
      const double covariance = together[k] / n - mean[k][0] / n * mean[k][1] / n;
      EXPECT_GT(k == 0 ? covariance : -covariance, .5);
    }
  }
  sampler.draw(stream, 0);
}

// A whole release with much budget: what goes together in the table does so in the rows, among
// missing values, too.
TEST(CopulaSampler, RowsAreAsTheTable) {
  test::TreeCase of;
  of.classes = 2;
  of.columns = {{.lower = 0, .upper = 1000}, {.lower = 0, .upper = 2, .whole = true}};
  of.epsilon = 20;
  std::vector<test::TreeRow> rows;
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  for (int n = 0; n < 6000; ++n) {
    const double z = normal(random), y = (n % 2 == 0 ? .9 : -.9) * z + .4 * normal(random);
    const double wage = z > 1 ? std::nan("") : 20 * std::exp(z);
    rows.push_back({n % 2, {wage, y < -.5 ? 0. : y < .5 ? 1. : 2.}});
  }
  RandomStream stream({10});
  const CopulaModel model = released_copula(stream, of, copula_plan(of), rows);
  CopulaSampler sampler(model);
  sampler.draw(stream, 6000);
  double missing[2] = {}, high[2] = {}, low[2] = {}, below = 0;
  for (int r = 0; r < 6000; ++r) {
    const int k = sampler.label(r);
    const double wage = sampler.value(stream, r, 0), sort = sampler.value(stream, r, 1);
    missing[k] += std::isnan(wage);
    high[k] += std::isnan(wage) && sort == 2;
    low[k] += std::isnan(wage) && sort == 0;
    below += wage < 20;
    EXPECT_TRUE(std::isnan(wage) || (wage >= 0 && wage <= 1000));
  }
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(missing[k] / 3000, .159, .02);
    EXPECT_GT((k == 0 ? high : low)[k], .75 * missing[k]);
  }
  EXPECT_NEAR(below / 6000, .5, .03);
}

}  // namespace
}  // namespace dpmix
