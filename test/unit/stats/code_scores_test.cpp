#include "core/stats/code_scores.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

const double missing = std::nan("");

// A number with the edges 0 and 1, and two categories; two classes.
CodeScores example() {
  ColumnCells number, sort;
  number.edges = {0, 1};
  number.code = {0, 1, 0, 2};
  sort.categories = 2;
  sort.code = {0, 1, 1};
  return CodeScores(2, {number, sort}, {{-1, .5, 3, -2, .25, 2}, {0, 1, -3, 2.5}});
}

std::array<double, 2> looked_up(const CodeScores& scores, int k, std::array<double, 2> x) {
  std::array<double, 2> found;
  scores.look_up(k, x, found.data());
  return found;
}

using Pair = std::array<double, 2>;

TEST(CodeScores, EveryValueHasTheScoreOfItsCodeInItsClass) {
  const CodeScores scores = example();
  EXPECT_EQ(looked_up(scores, 0, {-HUGE_VAL, 0}), (Pair{-1, 0}));
  EXPECT_EQ(looked_up(scores, 0, {0, 1}), (Pair{.5, 1}));
  EXPECT_EQ(looked_up(scores, 0, {HUGE_VAL, missing}), (Pair{-1, 1}));
  EXPECT_EQ(looked_up(scores, 1, {.999, 0}), (Pair{.25, -3}));
  EXPECT_EQ(looked_up(scores, 1, {missing, -7}), (Pair{2, 2.5}));
  EXPECT_EQ(looked_up(scores, 1, {1, 1e300}), (Pair{-2, 2.5}));
}

TEST(CodeScores, ComeBackFromTheFrontOfAnArgument) {
  const CodeScores scores = example();
  std::vector<double> packed = scores.pack();
  const std::vector<double> rest = {1, 2, 3};
  packed.insert(packed.end(), rest.begin(), rest.end());
  const CodeScores again = CodeScores::unpack_front(packed);
  EXPECT_EQ(again.pack(), scores.pack());
  const std::span<const double> after = after_scores(packed);
  EXPECT_EQ(std::vector<double>(after.begin(), after.end()), rest);
  EXPECT_EQ(after_scores(rest).data(), rest.data());
  EXPECT_TRUE(after_scores({}).empty());
}

TEST(CodeScores, RefusesWhatNoReleaseMakes) {
  const std::vector<double> good = example().pack();
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const double bad : {missing, HUGE_VAL, -HUGE_VAL, 1e300}) {
      std::vector<double> packed = good;
      packed[i] = bad;
      const bool edge =
          i == 6 || i == 7;  // the last edge may be any larger number, the first any smaller
      if (edge && !std::isnan(bad)) continue;
      EXPECT_THROW(CodeScores::unpack_front(packed), Error) << i << " " << bad;
    }
    EXPECT_THROW(CodeScores::unpack_front(std::span(good).first(i)), Error);
  }
  for (const double length : {0., 1., -1., 2.5, 1e9}) {
    EXPECT_THROW(after_scores(std::vector<double>{-1, length, 0}), Error);
  }
  EXPECT_THROW(after_scores(std::vector<double>{-1}), Error);
  ColumnCells sort;
  sort.categories = 1;
  sort.code = {0, 1};
  EXPECT_THROW(CodeScores(1, {sort}, {{0, 3.001}}), Error);
  EXPECT_THROW(CodeScores(1, {sort}, {{0}}), Error);
  EXPECT_THROW(CodeScores(1, {sort}, {}), Error);
  EXPECT_THROW(CodeScores(0, {sort}, {{}}), Error);
}

}  // namespace
}  // namespace dpmix
