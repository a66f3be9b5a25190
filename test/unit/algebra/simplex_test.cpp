#include "core/algebra/simplex.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace dpmix {
namespace {

using Point = std::vector<double>;

Point projected(Point p, double total) {
  project_to_simplex(p, total);
  return p;
}

TEST(Simplex, HandComputed) {
  EXPECT_EQ(projected({.5, .5}, 1), (Point{.5, .5}));
  EXPECT_EQ(projected({3, 1}, 2), (Point{2, 0}));
  EXPECT_EQ(projected({3, 2, -5}, 3), (Point{2, 1, 0}));
  EXPECT_EQ(projected({0, 0, 0, 0}, 8), (Point{2, 2, 2, 2}));
  EXPECT_EQ(projected({-7, -9}, 4), (Point{3, 1}));
  EXPECT_EQ(projected({-7}, 4), (Point{4}));
  EXPECT_EQ(projected({}, 4), Point{});
}

// The conditions of Karush, Kuhn and Tucker: positive coordinates moved alike, the others no less.
TEST(Simplex, IsTheNearestPoint) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const double size = std::pow(10, static_cast<int>(random() % 12)), total = 1 + random() % 1000;
    std::normal_distribution<double> normal(0, size);
    Point p(1 + random() % 40);
    for (double& x : p) x = normal(random);
    const Point q = projected(p, total);
    const double error = 1e-12 * (size + total) * static_cast<double>(p.size());
    EXPECT_NEAR(std::accumulate(q.begin(), q.end(), 0.), total, error);
    double shift = -1e300;
    for (std::size_t i = 0; i < p.size(); ++i) {
      ASSERT_GE(q[i], 0);
      if (q[i] > 0) shift = p[i] - q[i];
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(std::max(0., p[i] - shift), q[i], error);
    }
  }
}

// A class with hardly a row among counts full of noise.
TEST(Simplex, ASmallTotalSurvivesLargeCoordinates) {
  for (const double large : {1e6, 1e10, 1e300}) {
    const Point q = projected({large, 5, -large}, 1e-6);
    EXPECT_DOUBLE_EQ(q[0], 1e-6);
    EXPECT_EQ(q[1] + q[2], 0);
  }
}

}  // namespace
}  // namespace dpmix
