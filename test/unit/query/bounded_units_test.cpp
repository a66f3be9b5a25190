#include "core/query/bounded_units.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dpmix {
namespace {

TEST(BoundedUnits, SharesAddUpToTheWhole) {
  for (const double mu : {1e-6, .01, .3, 1.0, 40.0}) {
    EXPECT_EQ(mu_beside_bounded(mu, 0), mu);
    for (const int lists : {1, 2, 5, 60}) {
      const NoiseLaw law = bounded_law(mu, lists);
      EXPECT_GE(law.sensitivity * law.sensitivity, lists);  // each number moves by 1
      const double rest = mu_beside_bounded(mu, lists);
      const double numbers = std::sqrt(static_cast<double>(lists)) / law.scale;
      EXPECT_LE(rest * rest + numbers * numbers, mu * mu);
      EXPECT_GT(rest * rest + numbers * numbers, mu * mu * (1 - 1e-12));
      EXPECT_NEAR(mu / rest, 1.005, 1e-4);
    }
  }
}

}  // namespace
}  // namespace dpmix
