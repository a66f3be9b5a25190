// Rows that lie in a point, on a line or in a plane, seen with next to no noise: variances fall
// from pass to pass, and every frame and mixture must still be one.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/fit/place.hpp"
#include "tables/mixture_tables.hpp"
#include "tables/mixture_valid.hpp"

namespace dpmix::test {
namespace {

enum class Rows { points, line, nearly_line };

// Bounds of some features, of all, or of none, are as wide or as close as is allowed.
Table narrow_table(std::mt19937_64& random, Rows rows, int features, int classes, int count) {
  std::normal_distribution<double> normal;
  Table table{features, classes, {}, {}, {}, {}};
  constexpr double widths[] = {1, 1e-119, 1e119};
  const bool alike = random() % 2;
  double width = widths[random() % 3];
  for (int i = 0; i < features; ++i) {
    if (!alike) width = widths[random() % 3];
    table.lower.push_back(-width);
    table.upper.push_back(width);
  }
  std::vector<std::vector<double>> mean(5);
  for (auto& m : mean) {
    for (int i = 0; i < features; ++i) m.push_back(.8 * std::tanh(normal(random)));
  }
  for (int n = 0; n < count; ++n) {
    const std::size_t k = random() % mean.size();
    const double z = normal(random);
    std::vector<double> x;
    for (std::size_t i = 0; i < mean[k].size(); ++i) {
      double u = mean[k][i];
      if (rows == Rows::line) u += .1 * z * static_cast<double>(i + 1);
      if (rows == Rows::nearly_line) u += 1e-3 * z + 1e-9 * normal(random);
      x.push_back(u * table.upper[i]);
    }
    table.row.push_back(x);
    table.label.push_back(classes > 0 ? static_cast<int>(k) % classes : 0);
  }
  return table;
}

void expect_mixtures(GmmMethod method, std::uint64_t seed, int tries) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < tries; ++i) {
    const bool labelled = method == GmmMethod::staged;
    const int classes = labelled ? 1 + i % 5 : 0, features = labelled ? 2 + i % 3 : 4;
    const Table table =
        narrow_table(random, static_cast<Rows>(random() % 3), features, classes, 60 + i % 7 * 60);
    GmmRequest request =
        request_of(table, 5000, random() % 2 ? Adjacency::replace : Adjacency::add_remove);
    request.method = method;
    if (!labelled && random() % 2) request.components = 6;
    SCOPED_TRACE(i);
    ASSERT_NO_THROW(expect_valid(
        release(request, table, static_cast<std::uint64_t>(i), GmmObjective::forward_kl).mixture,
        table));
  }
}

TEST(NarrowRows, StagedGivesAMixture) {
  expect_mixtures(GmmMethod::staged, 7, 60);
}

TEST(NarrowRows, EmGivesAMixture) {
  expect_mixtures(GmmMethod::em, 7, 12);
}

TEST(NarrowRows, WhatIsWideEnoughStaysAsItIs) {
  Eigen::MatrixXd wide(2, 2);
  wide << 2, .5, .5, 1;
  EXPECT_EQ(wide_covariance(wide), wide);
  EXPECT_EQ(wide_axes(wide), wide);
  Eigen::MatrixXd flat(2, 2);
  flat << 1, 1, 1, 1;
  EXPECT_NEAR(wide_covariance(flat).determinant(), 4 * kLeastBoxVariance, 1e-14);
  EXPECT_NEAR(wide_axes(flat).determinant() * wide_axes(flat).determinant(), 16 * kLeastBoxVariance,
              1e-14);
  const Eigen::MatrixXd diagonal = Eigen::Vector2d(1e-20, 1).asDiagonal();
  EXPECT_TRUE(wide_covariance(diagonal).isDiagonal(0));
  EXPECT_EQ(wide_covariance(diagonal)(0, 0), kLeastBoxVariance);
  EXPECT_TRUE(wide_axes(diagonal).isDiagonal(0));
}

}  // namespace
}  // namespace dpmix::test
