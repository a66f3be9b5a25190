#include "core/tree_model/proportional_fitting.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace dpmix {
namespace {

using Numbers = std::vector<double>;

// Over the axes that are not kept, by counting through all places.
Numbers margin_of(const Numbers& table, const std::vector<int>& sizes,
                  const std::vector<int>& axes) {
  Numbers margin;
  std::vector<int> at(sizes.size(), 0);
  for (const double x : table) {
    std::size_t cell = 0, cells = 1;
    for (const int axis : axes) {
      cell = cell * static_cast<std::size_t>(sizes[axis]) + static_cast<std::size_t>(at[axis]);
      cells *= static_cast<std::size_t>(sizes[axis]);
    }
    margin.resize(cells);
    margin[cell] += x;
    for (std::size_t i = sizes.size(); i-- > 0 && ++at[i] == sizes[i];) at[i] = 0;
  }
  return margin;
}

Numbers positive(std::mt19937_64& random, std::size_t count) {
  std::exponential_distribution<double> law;
  Numbers numbers(count);
  for (double& x : numbers) x = law(random) + .01;
  return numbers;
}

void expect_near(const Numbers& a, const Numbers& b, double error) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], error) << i;
}

TEST(FitMargins, HandComputed) {
  Numbers table = {1, 1, 1, 1};
  const int sizes[] = {2, 2};
  const Numbers rows = {6, 4}, columns = {5, 5};
  const Margin margins[] = {{{0}, rows}, {{1}, columns}};
  fit_margins(table, sizes, margins, 1);
  expect_near(table, {3, 3, 2, 2}, 1e-15);

  Numbers odds = {2, 1, 1, 1};  // odds ratio 2 is kept
  fit_margins(odds, sizes, margins, 200);
  EXPECT_NEAR(odds[0] * odds[3] / (odds[1] * odds[2]), 2, 1e-12);
  expect_near(margin_of(odds, {2, 2}, {0}), rows, 1e-12);
  expect_near(margin_of(odds, {2, 2}, {1}), columns, 1e-12);
}

TEST(FitMargins, ReachesTheMarginsOfAnotherTable) {
  std::mt19937_64 random(5);
  const std::pair<std::vector<int>, std::vector<std::vector<int>>> cases[] = {
      {{7}, {{0}}},
      {{3, 4}, {{1}, {0}}},
      {{2, 3, 5}, {{0, 1}, {0, 2}}},
      {{2, 3, 5}, {{1, 2}, {0, 1}, {0, 2}}},
      {{2, 4, 3, 5}, {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}}}};
  for (const auto& [sizes, kept] : cases) {
    std::size_t cells = 1;
    for (const int size : sizes) cells *= static_cast<std::size_t>(size);
    Numbers table = positive(random, cells);
    const Numbers other = positive(random, cells);
    std::vector<Numbers> targets;
    for (const auto& axes : kept) targets.push_back(margin_of(other, sizes, axes));
    std::vector<Margin> margins;
    for (std::size_t i = 0; i < kept.size(); ++i) margins.push_back({kept[i], targets[i]});
    fit_margins(table, sizes, margins, 2000);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      expect_near(margin_of(table, sizes, kept[i]), targets[i], 1e-9);
    }
  }
}

TEST(FitMargins, ZerosAndExtremesStayNumbers) {
  Numbers table = {1e-300, 1e300, 5e-324, 0, 0, 0};
  const int sizes[] = {2, 3};
  const Numbers rows = {1e30, 0}, columns = {1e30, 0, 0};
  const Margin margins[] = {{{0}, rows}, {{1}, columns}};
  fit_margins(table, sizes, margins);
  for (const double x : table) EXPECT_TRUE(std::isfinite(x) && x >= 0) << x;
  Numbers tiny = {5e-324, 5e-324};
  const int line[] = {2};
  const Numbers large = {1e100, 1e100};
  const Margin margin[] = {{{0}, large}};
  fit_margins(tiny, line, margin);
  for (const double x : tiny) EXPECT_TRUE(std::isfinite(x)) << x;
}

}  // namespace
}  // namespace dpmix
