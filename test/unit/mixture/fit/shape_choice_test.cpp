// The shape of a covariance is picked by what noise leaves of it.
#include "core/mixture/fit/shape_choice.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace dpmix {
namespace {

constexpr int kFeatures = 8, kClasses = 6;

// Features in a row, each correlated with the next.
Matrix chain(double correlation, double width = 1) {
  Matrix out(kFeatures, kFeatures);
  for (int i = 0; i < kFeatures; ++i) {
    for (int j = 0; j < kFeatures; ++j) out(i, j) = width * std::pow(correlation, std::abs(i - j));
  }
  return out;
}

std::vector<FirstLook> looks(const std::vector<Matrix>& truth, double noise, double at_last) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal(0, noise);
  std::vector<FirstLook> all;
  for (const Matrix& covariance : truth) {
    FirstLook look{covariance, noise, 100, at_last, 0};
    for (int i = 0; i < kFeatures; ++i) {
      look.covariance(i, i) += normal(random);
      for (int j = 0; j < i; ++j) {
        look.covariance(j, i) = look.covariance(i, j) += normal(random) / std::sqrt(2);
      }
    }
    all.push_back(look);
  }
  return all;
}

TEST(ShapeChoice, NoNoiseTakesTheTruth) {
  const std::vector<Matrix> same(kClasses, chain(.7));
  std::vector<Matrix> other, alone;
  for (int k = 0; k < kClasses; ++k) {
    other.push_back(chain(k % 2 ? .7 : -.7, 1 + k));
    alone.push_back(chain(0, 1 + k));
  }
  EXPECT_EQ(best_shape(looks(other, .01, .01)).shape, CovarianceShape::full);
  EXPECT_EQ(best_shape(looks(other, .01, 1e-6)).shape, CovarianceShape::full);
  EXPECT_TRUE(best_shape(looks(other, .01, 1e-6)).sure);
  EXPECT_FALSE(best_shape(looks(other, .5, 1)).sure);
  // What is lost by the right one of the others is less than what a full one costs.
  EXPECT_EQ(best_shape(looks(same, .01, .2)).shape, CovarianceShape::shared);
  EXPECT_EQ(best_shape(looks(alone, .01, .2)).shape, CovarianceShape::diagonal);
}

TEST(ShapeChoice, NoiseTakesTheCheapest) {
  const std::vector<Matrix> same(kClasses, chain(.7));
  // Of strong correlations little is left, of weak ones nothing.
  EXPECT_EQ(best_shape(looks(same, .5, .4)).shape, CovarianceShape::shared);
  EXPECT_EQ(best_shape(looks(same, 20, 20)).shape, CovarianceShape::diagonal);
}

TEST(ShapeChoice, HopelessFromTheStart) {
  std::vector<FirstLook> classes(kClasses, {{}, 0, 100, .1, 0});
  EXPECT_FALSE(only_diagonal(classes, kFeatures));
  for (FirstLook& c : classes) c.at_last = 5;
  EXPECT_TRUE(only_diagonal(classes, kFeatures));
  EXPECT_FALSE(only_diagonal(classes, 1));  // there is nothing to leave out
}

// What no rows or one feature leave.
TEST(ShapeChoice, DegenerateLooks) {
  std::vector<FirstLook> nothing(2, {Matrix::Zero(3, 3), 0, 1, 1e9, 0});
  EXPECT_NO_THROW(best_shape(nothing));
  std::vector<FirstLook> single(1, {Matrix::Ones(1, 1), .1, 10, .1, 0});
  EXPECT_NO_THROW(best_shape(single));
}

}  // namespace
}  // namespace dpmix
