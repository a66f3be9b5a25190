#include "core/input/bounds_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Ends {
  double lower, upper;
};
const std::vector<Ends> kEnds = {{60, 260},  {0, 30},      {-1e9, 3},
                                 {-.25, .5}, {1e-3, 2e-3}, {5e8, 6e8}};

// What sensitivity rests on: no value of any category is placed beyond the one lattice.
TEST(BoundsScale, EveryValueIsPlacedWithinOneOfTheOrigin) {
  std::mt19937_64 random(7);
  std::cauchy_distribution<double> wild(0, 1e3);
  for (const auto& [lower, upper] : kEnds) {
    for (const BoundsScale& scale : {centred_scale(lower, upper), anchored_scale(lower, upper)}) {
      for (const double value : {-infinity, infinity, lower, upper, 0.0}) {
        EXPECT_LE(std::abs(scale.place(value)), 1);
      }
      for (int i = 0; i < 1000; ++i) EXPECT_LE(std::abs(scale.place(wild(random))), 1);
    }
  }
}

// What answers rest on: read on the lattice of its category, a placed value is the clamped one, to
// within half a step (and the rounding of a double).
TEST(BoundsScale, APlacedValueIsReadAsTheClampedOne) {
  std::mt19937_64 random(8);
  const Lattice centred = centred_lattice(-1, 1, false);
  for (const auto& [lower, upper] : kEnds) {
    const BoundsScale middle = centred_scale(lower, upper), zero = anchored_scale(lower, upper);
    const Lattice anchored = anchored_lattice(lower / zero.reach, upper / zero.reach, false);
    std::uniform_real_distribution<double> around(lower - (upper - lower), upper + (upper - lower));
    for (int i = 0; i < 1000; ++i) {
      const double value = around(random), kept = std::clamp(value, lower, upper);
      const auto read = [&](const BoundsScale& scale, const Lattice& places) {
        return scale.lattice(places).value_of(
            static_cast<double>(places.place(scale.place(value))));
      };
      const double slack = 0x1p-29;
      EXPECT_NEAR(read(middle, centred), kept, slack * middle.reach + 1e-12 * std::abs(kept));
      EXPECT_NEAR(read(zero, anchored), kept, slack * zero.reach + 1e-12 * std::abs(kept));
    }
  }
}

TEST(BoundsScale, LatticesOfAllCategoriesMoveByOneNumberOfSteps) {
  const Lattice places = centred_lattice(-1, 1, false);
  for (const auto& [lower, upper] : kEnds) {
    const Lattice own = centred_scale(lower, upper).lattice(places);
    EXPECT_EQ(sensitivity_add_remove(own), sensitivity_add_remove(places));
    EXPECT_EQ(sensitivity_replace(own), sensitivity_replace(places));
    EXPECT_TRUE(own.valid());
  }
}

TEST(BoundsScale, RefusesBoundsThatAreNone) {
  for (const auto& [lower, upper] : {Ends{1, 1}, {2, 1}, {0, infinity}, {0, 0x1p-1060}}) {
    EXPECT_THROW(centred_scale(lower, upper), Error);
    EXPECT_THROW(anchored_scale(lower, upper), Error);
  }
}

}  // namespace
}  // namespace dpmix
