#include "core/noise/box_law.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/noise/lattice_moments.hpp"
#include "unit/query/box_world.hpp"

namespace dpmix {
namespace {

// Tails and moments, of each coordinate, from the definition.
TEST(BoxLaw, TailsAndMomentsAreThoseOfTheLaw) {
  for (const double rate : {.05, .4, 1., 3., 9.}) {
    for (const int together : {2, 3, 7, kMostTogether}) {
      for (const int a : {1, 2, 5, 10}) {
        const test::BoxWorld world{rate, std::vector<int>(static_cast<std::size_t>(together), a)};
        const auto radii = world.radii();
        double absolute = 0, squares = 0;
        std::vector<double> tail(200);
        for (std::size_t r = 0; r < radii.size(); ++r) {
          const std::int64_t n = (2 * static_cast<std::int64_t>(r) + 1) * a;
          const double ends = n % 2 == 0 ? 2 : 0;
          const auto whole = static_cast<double>(n);
          absolute += radii[r] * (n % 2 == 0 ? whole / 4 : (whole * whole - 1) / (4 * whole));
          squares += radii[r] * (whole * whole - 1 + 1.5 * ends) / 12;
          for (std::size_t t = 0; t < tail.size(); ++t) {
            // Of n integers those beyond t, on both sides.
            tail[t] += radii[r] * std::max(whole - 2 * static_cast<double>(t) - 1, 0.) / whole;
          }
        }
        const NoiseLaw law{.family = Family::laplace,
                           .sensitivity = static_cast<double>(a),
                           .scale = a / rate,
                           .components = together};
        SCOPED_TRACE(testing::Message() << rate << " " << together << " " << a);
        EXPECT_NEAR(expected_abs(law), absolute, 1e-10 * absolute + 1e-13);
        EXPECT_NEAR(variance(law), squares, 1e-10 * squares + 1e-13);
        EXPECT_NEAR(lattice_moments(law, 1).stddev, std::sqrt(squares), 1e-6);
        for (std::size_t t = 0; t < tail.size(); ++t) {
          const auto k = static_cast<double>(t);
          if (tail[t] > 1e-30) {  // the enumeration ends somewhere
            EXPECT_NEAR(lattice_tail(law, 1, k) / tail[t], 1, 1e-9) << t;
          }
          if (t > 0 && tail[t] > 1e-12) {
            EXPECT_LE(lattice_tail_quantile(law, 1, tail[t] * (1 + 1e-9)), k) << t;
            EXPECT_GT(lattice_tail_quantile(law, 1, tail[t] * (1 - 1e-9)), k - 1e-9) << t;
          }
        }
      }
    }
  }
}

// As the lattice becomes fine: a cube whose half width has a Gamma law.
TEST(BoxLaw, IsTheContinuousOneForSmallRates) {
  for (const int k : {2, 3, 4, 8, 16}) {
    for (const double rate : {5e-7, 1e-3}) {
      const NoiseLaw law{
          .family = Family::laplace, .sensitivity = 1e6, .scale = 1e6 / rate, .components = k};
      EXPECT_NEAR(std::sqrt(variance(law)), law.scale * std::sqrt((k + 1) * (k + 2) / 3.),
                  1e-5 * law.scale);
      EXPECT_NEAR(expected_abs(law), law.scale * (k + 1) / 2, 1e-5 * law.scale);
      EXPECT_EQ(cdf(law, 0), .5);
      EXPECT_GT(cdf(law, -200 * law.scale), 0);  // neither 0 nor NaN, far out
    }
  }
}

}  // namespace
}  // namespace dpmix
