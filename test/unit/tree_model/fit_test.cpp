#include "core/tree_model/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "tables/tree_models.hpp"

namespace dpmix {
namespace {

using Numbers = std::vector<double>;

void expect_near(const Numbers& a, const Numbers& b, double error) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], error) << i;
}

NoisyColumn column(Numbers counts, std::size_t codes, double variance = 1) {
  return {std::move(counts), Numbers(codes, variance)};
}

// The sums of a pair's table over one of its columns, by class.
Numbers margin(const TreeTables& tables, const PairTable& pair, int of) {
  const auto na = static_cast<std::size_t>(tables.codes[static_cast<std::size_t>(pair.a)]);
  const auto nb = static_cast<std::size_t>(tables.codes[static_cast<std::size_t>(pair.b)]);
  Numbers sums(tables.classes.size() * (of == pair.a ? na : nb));
  for (std::size_t i = 0; i < pair.rows.size(); ++i) {
    sums[of == pair.a ? i / nb : i / (na * nb) * nb + i % nb] += pair.rows[i];
  }
  return sums;
}

TEST(ClassRows, HandComputed) {
  EXPECT_EQ(class_rows(std::vector{column({3, 1, 2, 2}, 2)}, 2), (Numbers{4, 4}));
  // Variances of sums 2 and 4: weights 2 : 1.
  expect_near(class_rows(std::vector{column({3, 3, 1, 1}, 2), column({6, 6, 1, 1}, 2, 2)}, 2),
              {8, 2}, 1e-12);
  // On the simplex of the sum: (9, -3) to (6, 0); and no class is without any row.
  expect_near(class_rows(std::vector{column({9, -3}, 1)}, 2), {6, 1e-6}, 1e-12);
  expect_near(class_rows(std::vector{column({-9, -3}, 1)}, 2), {1e-6, 1}, 1e-12);
}

TEST(FitTables, KeepsWhatHasNoNoise) {
  const Numbers pair = {5, 1, 2, 0, 3, 4, 7, 0, 1, 1, 1, 1};  // two classes of 2 x 3
  const Numbers a = {8, 7, 8, 3}, b = {5, 4, 6, 8, 1, 2};
  for (const double stddev : {1e-3, 1.}) {
    const std::vector columns = {column(a, 2), column(b, 3)};
    const std::vector<NoisyPair> pairs = {{0, 1, true, stddev, pair, {}}};
    const TreeTables tables = fit_tables({15, 11}, columns, pairs);
    EXPECT_EQ(tables.codes, (std::vector<int>{2, 3}));
    expect_near(tables.columns[0], a, 1e-9);
    expect_near(tables.columns[1], b, 1e-9);
    if (stddev < 1) expect_near(tables.pairs[0].rows, pair, 1e-4);
  }
}

TEST(FitTables, NoiseWithoutDependenceIsDrawnToIndependence) {
  const Numbers rows = {10, 30}, columns = {20, 20};
  const std::vector singles = {column(rows, 2), column(columns, 2)};
  const std::vector<NoisyPair> pairs = {{0, 1, true, 10, {9, 2, 11, 18}, {}}};
  const TreeTables tables = fit_tables({40}, singles, pairs);
  expect_near(tables.pairs[0].rows, rows_through(tables, 0, 1, -1), 1e-6);
}

TEST(FitTables, PairsTellOfTheirColumnsByTheirPrecision) {
  // A column with variance 4 against a pair whose sums over two codes have variance 2 * 2.
  const std::vector columns = {column({10, 20}, 2, 4), column({15, 15}, 2, 1e-9)};
  const std::vector<NoisyPair> pairs = {{0, 1, true, std::sqrt(2.), {9, 9, 6, 6}, {}}};
  expect_near(fit_tables({30}, columns, pairs).columns[0], {14, 16}, 1e-9);
  // Over all classes it tells nothing of a class.
  const std::vector<NoisyPair> together = {{0, 1, false, std::sqrt(2.), {9, 9, 6, 6}, {}}};
  expect_near(fit_tables({30}, columns, together).columns[0], {10, 20}, 1e-9);
}

TEST(RowsThrough, HandComputed) {
  TreeTables tables;
  tables.classes = {10};
  tables.codes = {2, 2, 2};
  tables.columns = {{4, 6}, {5, 5}, {2, 8}};
  tables.pairs = {{0, 2, {2, 2, 0, 6}}, {2, 1, {1, 1, 4, 4}}};
  expect_near(rows_through(tables, 0, 1, -1), {2, 2, 3, 3}, 1e-12);
  // P(a, b) = sum over c of n(a, c) n(c, b) / n(c)
  expect_near(rows_through(tables, 0, 1, 2), {2, 2, 3, 3}, 1e-12);
  tables.pairs[1].rows = {2, 0, 3, 5};
  expect_near(rows_through(tables, 0, 1, 2), {2 + .75, 1.25, 2.25, 3.75}, 1e-12);
  EXPECT_EQ(tables.pair(1, 2), (Numbers{2, 3, 0, 5}));
  EXPECT_EQ(tables.pair(2, 1), (Numbers{2, 0, 3, 5}));
  EXPECT_THROW(tables.pair(0, 1), std::logic_error);
}

// Random tables, noise from none to far above the rows: tables are numbers, of the rows of their
// classes, and the margins of every pair are those of its columns.
TEST(FitTables, AgreesWithItself) {
  std::mt19937_64 random(14);
  std::normal_distribution<double> normal;
  int near = 0, seen = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t classes = 1 + random() % 3;
    const int count = 2 + static_cast<int>(random() % 3);
    const double noise = std::pow(10., static_cast<int>(random() % 10) - 3);
    const double size = std::pow(10., static_cast<int>(random() % 5));
    std::vector<int> sizes;
    std::vector<std::pair<int, int>> joined;
    for (int i = 0; i < count; ++i) {
      sizes.push_back(1 + static_cast<int>(random() % 6));
      if (i > 0) joined.emplace_back(i - 1, i);
    }
    const TreeTables exact =
        test::model_of_joint(random, static_cast<int>(classes), sizes, joined).tables;
    std::vector<NoisyColumn> columns;
    for (int i = 0; i < count; ++i) {
      const auto codes = static_cast<std::size_t>(sizes[static_cast<std::size_t>(i)]);
      NoisyColumn of{exact.columns[static_cast<std::size_t>(i)], Numbers(codes, noise * noise)};
      for (double& c : of.counts) c = size * c + noise * normal(random);
      if (random() % 4 == 0) {  // a class with nothing but noise below 0
        for (std::size_t v = 0; v < codes; ++v) of.counts[v] = -noise * std::abs(normal(random));
      }
      columns.push_back(std::move(of));
    }
    const Numbers rows = class_rows(columns, static_cast<int>(classes));
    for (const double x : rows) ASSERT_GT(x, 0);
    std::vector<NoisyPair> pairs;
    for (const PairTable& of : exact.pairs) {
      NoisyPair pair{of.a, of.b, random() % 3 > 0, noise, {}, {}};
      pair.counts.resize(pair.by_class ? of.rows.size() : of.rows.size() / classes);
      for (std::size_t c = 0; c < of.rows.size(); ++c) {
        pair.counts[c % pair.counts.size()] += size * of.rows[c];
      }
      for (double& c : pair.counts) c += noise * normal(random);
      pairs.push_back(std::move(pair));
    }
    const TreeTables tables = fit_tables(rows, columns, pairs);
    const double all = std::accumulate(rows.begin(), rows.end(), 0.);
    for (const Numbers& of : tables.columns) {
      for (std::size_t k = 0; k < classes; ++k) {
        const std::size_t codes = of.size() / classes;
        EXPECT_NEAR(std::accumulate(&of[k * codes], &of[k * codes] + codes, 0.), rows[k],
                    1e-9 * all);
      }
    }
    for (const PairTable& pair : tables.pairs) {
      for (const double x : pair.rows) ASSERT_TRUE(std::isfinite(x) && x >= 0);
      expect_near(margin(tables, pair, pair.b), tables.columns[static_cast<std::size_t>(pair.b)],
                  1e-9 * all);  // fitted last
      // 50 rounds come this near where noise left hardly a cell; as a rule much nearer.
      const Numbers of_a = margin(tables, pair, pair.a);
      double apart = 0;
      for (std::size_t i = 0; i < of_a.size(); ++i) {
        apart += std::abs(of_a[i] - tables.columns[static_cast<std::size_t>(pair.a)][i]);
      }
      EXPECT_LT(apart, .1 * all);
      near += apart < 1e-3 * all ? 1 : 0;
      ++seen;
    }
  }
  EXPECT_GT(near, .98 * seen);
}

}  // namespace
}  // namespace dpmix
