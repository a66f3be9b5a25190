#include "core/tree_model/law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tables/tree_models.hpp"

namespace dpmix {
namespace {

using test::at;
using test::each_codes;
using Pairs = std::vector<std::pair<int, int>>;

double sum_of(const TreeLaw& law) {
  double sum = 0;
  for (std::size_t k = 0; k < law.classes().size(); ++k) {
    each_codes(law.codes(), [&](const std::vector<int>& codes) {
      sum += law.probability(static_cast<int>(k), codes);
    });
  }
  return sum;
}

// Rows of a pair or, with b < 0, of a column.
double rows(const TreeTables& tables, int k, const std::vector<int>& codes, int a, int b = -1) {
  const int na = tables.codes[at(a)];
  if (b < 0) return tables.columns[at(a)][at(k * na + codes[at(a)])];
  const int nb = tables.codes[at(b)];
  return tables.pair(a, b)[at((k * na + codes[at(a)]) * nb + codes[at(b)])];
}

// Of a forest: the product of its pairs, over that of columns as often as they are shared.
TEST(TreeLaw, IsTheJointLawOfAForest) {
  std::mt19937_64 random(15);
  const std::vector<int> sizes = {2, 3, 1, 4, 2};
  for (const Pairs& pairs : {Pairs{}, Pairs{{0, 1}}, Pairs{{3, 1}, {1, 0}, {1, 2}, {4, 3}},
                             Pairs{{0, 4}, {4, 1}, {3, 2}}}) {
    for (const int classes : {1, 3}) {
      const TreeModel model = test::model_of_joint(random, classes, sizes, pairs);
      const TreeTables& tables = model.tables;
      const TreeLaw law(model);
      double all = 0;
      for (const double x : tables.classes) all += x;
      EXPECT_NEAR(sum_of(law), 1, 1e-12);
      for (int k = 0; k < classes; ++k) {
        each_codes(sizes, [&](const std::vector<int>& codes) {
          const double of_class = tables.classes[at(k)];
          double p = of_class / all;
          for (int i = 0; i < 5; ++i) p *= rows(tables, k, codes, i) / of_class;
          for (const auto& [a, b] : pairs) {
            p *= rows(tables, k, codes, a, b) * of_class / rows(tables, k, codes, a) /
                 rows(tables, k, codes, b);
          }
          ASSERT_NEAR(law.probability(k, codes), p, 1e-9 * p + 1e-15);
        });
      }
    }
  }
}

// With triangles: its pairs are those of the tables, and it sums up to 1.
TEST(TreeLaw, HasThePairsOfItsTriangles) {
  std::mt19937_64 random(16);
  const std::vector<int> sizes = {2, 3, 3, 2};
  for (const Pairs& pairs :
       {Pairs{{0, 1}, {1, 2}, {2, 0}}, Pairs{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 1}}}) {
    const TreeModel model = test::model_of_joint(random, 2, sizes, pairs);
    const TreeTables& tables = model.tables;
    const TreeLaw law(model);
    EXPECT_NEAR(sum_of(law), 1, 1e-12);
    const double all = tables.classes[0] + tables.classes[1];
    for (const auto& [a, b] : pairs) {
      std::vector<double> table(at(2 * sizes[at(a)] * sizes[at(b)]));
      for (int k = 0; k < 2; ++k) {
        each_codes(sizes, [&](const std::vector<int>& codes) {
          table[at((k * sizes[at(a)] + codes[at(a)]) * sizes[at(b)] + codes[at(b)])] +=
              all * law.probability(k, codes);
        });
      }
      const std::vector<double> of = tables.pair(a, b);
      for (std::size_t i = 0; i < of.size(); ++i) EXPECT_NEAR(table[i], of[i], 1e-3 * of[i]);
    }
  }
}

// Tables that agree on nothing, and have rows nowhere: still a law.
TEST(TreeLaw, SumsUpToOneWhateverTheTables) {
  std::mt19937_64 random(17);
  const double values[] = {0, 1e-300, 1e-12, 1, 1e6, 0x1p100};
  for (int round = 0; round < 200; ++round) {
    TreeModel model = test::model_of_joint(random, 2, {2, 3, 2}, {{0, 1}, {1, 2}, {2, 0}});
    const auto any = [&](std::vector<double>& numbers) {
      for (double& x : numbers) x = values[random() % std::size(values)];
    };
    for (auto& column : model.tables.columns) any(column);
    for (PairTable& pair : model.tables.pairs) any(pair.rows);
    EXPECT_NEAR(sum_of(TreeLaw(model)), 1, 1e-9);
  }
}

TEST(TreeLaw, WhatCannotBeNullHasNoShareOfIt) {
  std::mt19937_64 random(18);
  for (const bool nullable : {true, false}) {
    TreeModel model = test::model_of_joint(random, 1, {3}, {});
    model.columns[0] = cut_column({.categories = 2, .missing = true, .nullable = nullable}, 32);
    const TreeLaw law(model);
    EXPECT_EQ(law.probability(0, std::vector{2}) > 0, nullable);
    EXPECT_NEAR(sum_of(law), 1, 1e-12);
    // Merged with others, it is their share alone that is left.
    model.columns[0].cells.code = {0, 1, 1};
    model.columns[0].weight = {1, 2, 6};
    model.tables.codes = {2};
    model.tables.columns = {{5, 5}};
    EXPECT_NEAR(TreeLaw(model).cells(0)[1], nullable ? .25 : 1, 1e-12);
    EXPECT_NEAR(TreeLaw(model).cells(0)[2], nullable ? .75 : 0, 1e-12);
  }
}

}  // namespace
}  // namespace dpmix
