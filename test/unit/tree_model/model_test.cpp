#include "core/tree_model/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/base/error.hpp"
#include "core/tree_model/sampler.hpp"
#include "tables/tree_models.hpp"

namespace dpmix {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

TreeModel small(std::mt19937_64& random, const Pairs& pairs = {{0, 1}, {1, 2}, {2, 0}, {3, 2}}) {
  TreeModel model = test::model_of_joint(random, 2, {2, 3, 2, 2}, pairs);
  model.columns[3] = cut_column({.lower = -1, .upper = 3, .nullable = true}, 2);
  model.columns[3].cells.code = {1, 0, 0, 1, 1};
  return model;
}

TEST(TreeModel, ComesBackFromItsArray) {
  std::mt19937_64 random(19);
  const TreeModel model = small(random);
  const std::vector<double> packed = model.pack();
  const TreeModel again = TreeModel::unpack(packed);
  EXPECT_EQ(again.pack(), packed);
  EXPECT_EQ(again.tables.classes, model.tables.classes);
  EXPECT_EQ(again.tables.codes, model.tables.codes);
  EXPECT_EQ(again.tables.columns, model.tables.columns);
  ASSERT_EQ(again.tables.pairs.size(), 4U);
  EXPECT_EQ(again.tables.pairs[3].rows, model.tables.pairs[3].rows);
  EXPECT_EQ(again.columns[3].cells.edges, model.columns[3].cells.edges);
  EXPECT_EQ(again.columns[3].cells.code, model.columns[3].cells.code);
  EXPECT_EQ(again.columns[3].weight, model.columns[3].weight);
  EXPECT_EQ(again.columns[3].values.lower, -1);
  EXPECT_TRUE(again.columns[3].values.nullable);
  EXPECT_FALSE(again.columns[0].values.missing);
}

TEST(TreeModel, MutualInformationByHand) {
  TreeModel model;
  model.tables.classes = {8, 8};
  model.tables.codes = {2, 2};
  model.tables.columns = {{4, 4, 4, 4}, {4, 4, 4, 4}};
  // Equal in one class, independent in the other.
  model.tables.pairs = {{0, 1, {4, 0, 0, 4, 2, 2, 2, 2}}};
  EXPECT_NEAR(model.mutual_information(model.tables.pairs[0]), std::log(2.) / 2, 1e-12);
}

void use(const TreeModel& model) {
  TreeSampler sampler(model);
  RandomStream random({20});
  for (const int rows : {1, 7}) {
    sampler.draw(random, rows);
    for (int r = 0; r < rows; ++r) {
      for (std::size_t i = 0; i < model.columns.size(); ++i) {
        const double x = sampler.value(random, r, static_cast<int>(i));
        ASSERT_FALSE(std::isinf(x));
        ASSERT_LE(model.columns[i].values.nullable ? 0 : std::isnan(x), 0);
      }
    }
  }
  for (const PairTable& pair : model.tables.pairs) {
    ASSERT_FALSE(std::isnan(model.mutual_information(pair)));
  }
}

TEST(TreeModel, WithstandsHostileArrays) {
  std::mt19937_64 random(21);
  const double infinity = std::numeric_limits<double>::infinity();
  const double values[] = {std::nan(""), infinity, -infinity, -1,      .5,    1e9,
                           1 << 20,      0,        1,         2,       3,     5,
                           100,          1000,     1e300,     0x1p100, 5e-324};
  const std::vector<double> packed = small(random).pack();
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_THROW(TreeModel::unpack(std::span(packed).first(size)), Error);
  }
  std::vector<double> longer = packed;
  longer.push_back(0);
  EXPECT_THROW(TreeModel::unpack(longer), Error);
  int accepted = 0;
  for (int round = 0; round < 30; ++round) {
    for (std::size_t i = 0; i < packed.size(); ++i) {
      std::vector<double> hostile = packed;
      hostile[i] = values[random() % std::size(values)];
      while (random() % 2 == 0) hostile[random() % hostile.size()] = values[random() % 17];
      try {
        const TreeModel model = TreeModel::unpack(hostile);
        ++accepted;
        use(model);
      } catch (const Error& error) {
        ASSERT_EQ(error.code, ErrorCode::invalid_parameter);
      }
    }
  }
  EXPECT_GT(accepted, 500);
}

// A category of a row that is drawn is one of its column's, whatever the rules are.
TEST(TreeModel, WithstandsHostileRules) {
  std::mt19937_64 random(23);
  TreeModel model = small(random);
  std::vector<RuledColumn> columns(5);
  for (std::size_t i = 0; i < 4; ++i) columns[i].number = model.columns[i].ordered();
  columns[3].lower = columns[4].lower = -1;
  columns[3].upper = columns[4].upper = 3;
  columns[3].present_with = 0;
  columns[4].sum_of = {3};
  model.rules = RowRules(columns);
  const std::vector<double> packed = model.pack();
  EXPECT_EQ(TreeModel::unpack(packed).pack(), packed);
  const std::size_t plain = packed.size() - model.rules.pack().size();
  const double values[] = {-1, 0, 1, 2, 3, 4, 5, 1e300, std::nan(""), -1e300};
  int accepted = 0;
  RandomStream stream({27});
  for (int round = 0; round < 4000; ++round) {
    std::vector<double> hostile = packed;
    do {
      hostile[plain + random() % (packed.size() - plain)] = values[random() % std::size(values)];
    } while (random() % 2 == 0);
    try {
      const TreeModel made = TreeModel::unpack(hostile);
      ++accepted;
      TreeSampler sampler(made);
      sampler.draw(stream, 5);
      std::vector<double> row(static_cast<std::size_t>(made.row_columns()));
      for (int r = 0; r < 5; ++r) {
        sampler.values(stream, r, row);
        for (int i = 0; i < made.row_columns(); ++i) {
          const double x = row[static_cast<std::size_t>(i)];
          if (std::isnan(x) || sampler.ordered(i)) continue;
          const auto m = static_cast<std::size_t>(made.measured_of(i));
          ASSERT_TRUE(x >= 0 && x < made.columns[m].values.categories && x == std::floor(x));
        }
      }
    } catch (const Error& error) {
      ASSERT_EQ(error.code, ErrorCode::invalid_parameter);
    }
  }
  EXPECT_GT(accepted, 300);
}

TEST(TreeModel, RefusesGraphsThatAreNotDrawable) {
  std::mt19937_64 random(22);
  const auto refused = [&](const Pairs& pairs) {
    EXPECT_THROW(TreeModel::unpack(small(random, pairs).pack()), Error);
  };
  refused({{0, 1}, {1, 2}, {2, 3}, {3, 0}});                  // a cycle
  refused({{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}});  // four that are all joined
  refused({{0, 1}, {1, 0}});                                  // twice the same
  EXPECT_NO_THROW(TreeModel::unpack(small(random, {}).pack()));
}

TEST(TreeModel, RefusesTrianglesWithTooManyCells) {
  std::mt19937_64 random(23);
  TreeModel model = test::model_of_joint(random, 1, {2, 2, 2}, {{0, 1}, {1, 2}, {0, 2}});
  constexpr int codes = 80;  // 80^3 > 2^18
  for (int i = 0; i < 3; ++i) {
    model.columns[test::at(i)] = cut_column({.categories = codes, .missing = false}, 32);
    model.tables.codes[test::at(i)] = codes;
    model.tables.columns[test::at(i)].assign(codes, 1);
    model.tables.pairs[test::at(i)].rows.assign(codes * codes, 1. / codes);
  }
  EXPECT_THROW(TreeModel::unpack(model.pack()), Error);
  model.tables.pairs.pop_back();
  EXPECT_NO_THROW(TreeModel::unpack(model.pack()));
}

}  // namespace
}  // namespace dpmix
