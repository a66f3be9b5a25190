// Would falsify docs/proofs/mixture_staged.md ("Eigenvalues"): of a matrix with noise, the
// variances along its eigenvectors are those of the matrix without.
#include "core/mixture/fit/eigenvalue_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/algebra/spectrum.hpp"

namespace dpmix {
namespace {

struct Errors {
  double seen = 0, without = 0, reach = 0;
};

// Mean squares over draws; reach: how far noise moved the smallest eigenvalue at most.
Errors errors(const Vector& truth, double noise, int draws) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, noise);
  const Eigen::Index d = truth.size();
  Errors total;
  for (int n = 0; n < draws; ++n) {
    Matrix noisy = truth.asDiagonal();
    for (Eigen::Index i = 0; i < d; ++i) {
      noisy(i, i) += normal(random);
      for (Eigen::Index j = 0; j < i; ++j)
        noisy(i, j) = noisy(j, i) = normal(random) / std::sqrt(2);
    }
    const Spectrum seen = spectrum_of(noisy);
    const Vector along = (seen.vectors.transpose() * truth.asDiagonal() * seen.vectors).diagonal();
    const Vector without = without_noise(seen.values, noise);
    EXPECT_NEAR(without.sum(), seen.values.sum(), 1e-9);
    total.seen += (seen.values - along).squaredNorm() / static_cast<double>(d * draws);
    total.without += (without - along).squaredNorm() / static_cast<double>(d * draws);
    total.reach = std::max(total.reach, truth.minCoeff() - seen.values[0]);
  }
  return total;
}

TEST(EigenvalueNoise, VariancesAlongTheEigenvectorsThatWereSeen) {
  for (const int d : {4, 16, 36}) {
    const Vector flat = Vector::Ones(d), steep = Vector::LinSpaced(d, .1, 4);
    for (const double noise : {.1, .4, 1.5}) {
      for (const Vector& truth : {flat, steep}) {
        const Errors found = errors(truth, noise, 60);
        // With few features and little noise there is hardly anything to take away.
        EXPECT_LT(found.without, (d > 4 ? 1 : 1.1) * found.seen)
            << d << " features, noise " << noise;
        // Little is left of what noise adds where it hides the differences.
        if (d > 4 && truth == flat) {
          EXPECT_LT(found.without, .2 * found.seen);
        }
      }
      EXPECT_NEAR(errors(flat, noise, 60).reach / eigenvalue_reach(d, noise, false), 1, .4);
    }
  }
}

TEST(EigenvalueNoise, NothingToTakeAway) {
  const Vector values = (Vector(3) << 1, 2, 5).finished();
  EXPECT_EQ(without_noise(values, 0), values);
  EXPECT_EQ(without_noise(values.head(1), 7), values.head(1));
  const Vector same = Vector::Ones(3);
  EXPECT_EQ(without_noise(same, .5), same);
}

}  // namespace
}  // namespace dpmix
