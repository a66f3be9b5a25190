#include "core/input/lattice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double huge = std::numeric_limits<double>::max();
constexpr double tiny = std::numeric_limits<double>::denorm_min();

TEST(Lattice, IntegersBetweenIntegerBoundsAreExact) {
  for (auto [lower, upper] : {std::pair{0, 10}, {-3, 8}, {5, 6}, {-101, -1}, {17, 99}}) {
    const Lattice centred = centred_lattice(lower, upper, true);
    const Lattice anchored = anchored_lattice(lower, upper, true);
    EXPECT_EQ(centred.low, -centred.high);
    for (int x = lower; x <= upper; ++x) {
      EXPECT_EQ(centred.value_of(static_cast<double>(centred.place(x))), x);
      EXPECT_EQ(anchored.place(x), x);
    }
    EXPECT_EQ(centred.value_of(static_cast<double>(centred.place(lower - 1))), lower);
    EXPECT_EQ(anchored.place(upper + 1), upper);
  }
  const double top = 4503599627370496;  // 2^52
  const Lattice widest = centred_lattice(-top, top - 1, true);
  for (double x : {-top, -top + 1, -1.0, 0.0, 1.0, top - 2, top - 1}) {
    EXPECT_EQ(widest.value_of(static_cast<double>(widest.place(x))), x);
    EXPECT_EQ(static_cast<double>(anchored_lattice(-top, top - 1, true).place(x)), x);
  }
  EXPECT_TRUE(widest.valid());
}

TEST(Lattice, AnyBoundsMakeAValidLatticeThatCoversThem) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::uniform_int_distribution<int> exponent(-1074, 1023);
  for (int trial = 0; trial < 20000; ++trial) {
    double lower = std::ldexp(unit(random), exponent(random));
    double upper =
        trial % 3 == 0 ? std::nextafter(lower, huge) : std::ldexp(unit(random), exponent(random));
    if (lower > upper) std::swap(lower, upper);
    if (lower == upper) continue;
    for (bool integral : {false, true}) {
      const Lattice centred = centred_lattice(lower, upper, integral);
      const Lattice anchored = anchored_lattice(lower, upper, integral);
      EXPECT_EQ(centred.low, -centred.high);
      EXPECT_EQ(anchored.origin, 0);
      for (const Lattice& lattice : {centred, anchored}) {
        ASSERT_TRUE(lattice.valid()) << lower << " " << upper;
        EXPECT_GE(sensitivity_add_remove(lattice), 1);
        EXPECT_GE(sensitivity_replace(lattice), 1);
        EXPECT_EQ(lattice.place(infinity), lattice.high);
        EXPECT_EQ(lattice.place(-infinity), lattice.low);
        const double half = upper / 2 - lower / 2;
        for (double at : {0.0, .123, .5, .9, 1.0}) {
          const double x = std::min(lower + at * half + at * half, upper);
          const auto k = lattice.place(x);
          EXPECT_LE(lattice.low, k);
          EXPECT_GE(lattice.high, k);
          // Within half a step, and the roundings of the origin and of the product.
          const double back = lattice.value_of(static_cast<double>(k));
          const double slack = std::abs(x) * 1e-15 + std::abs(lattice.origin) * 1e-15 + 2 * tiny;
          EXPECT_LE(std::abs(back - x), .501 * lattice.step + slack) << lower << " " << upper;
        }
      }
    }
  }
}

TEST(Lattice, HugeAndTinyBounds) {
  const Lattice all = centred_lattice(-huge, huge, false);
  EXPECT_EQ(all.place(huge), all.high);
  EXPECT_EQ(all.place(-huge), all.low);
  EXPECT_EQ(all.place(0), 0);
  EXPECT_TRUE(centred_lattice(1e300, huge, false).valid());
  const Lattice least = centred_lattice(0, tiny, false);
  EXPECT_TRUE(least.valid());
  EXPECT_EQ(anchored_lattice(-tiny, 0, false).low, -1);
}

TEST(Lattice, EveryPlacedValueIsInRangeAndNearest) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> value(-30, 30);
  const Lattice fine = centred_lattice(-9.7, 13.1, false);
  const Lattice power_of_two{-1, 0.125, -100, 100};
  for (int trial = 0; trial < 100000; ++trial) {
    const double x = value(random);
    const double k = std::clamp((x - fine.origin) / fine.step, static_cast<double>(fine.low),
                                static_cast<double>(fine.high));
    EXPECT_LE(std::abs(static_cast<double>(fine.place(x)) - k), .5 + 1e-6);
    const double exact = std::clamp(std::nearbyint((x + 1) / 0.125), -100.0, 100.0);
    EXPECT_EQ(static_cast<double>(power_of_two.place(x)), exact);
  }
  for (double tie : {-2.5, -1.5, -.5, .5, 1.5, 2.5}) {
    EXPECT_EQ(static_cast<double>(Lattice{0, 1, -9, 9}.place(tie)), std::nearbyint(tie));
  }
}

TEST(Lattice, SensitivitiesAreTheLargestChangeOfTheSum) {
  for (auto [low, high] : {std::pair{-3, 5}, {2, 7}, {-9, -4}, {0, 1}, {-6, 6}}) {
    const Lattice lattice{0, 1, low, high};
    std::int64_t add_remove = 0, replace = 0;
    for (int k = low; k <= high; ++k) {
      add_remove = std::max<std::int64_t>(add_remove, std::abs(k));
      replace = std::max<std::int64_t>(replace, std::abs(k));  // by a missing value
      for (int other = low; other <= high; ++other) {
        replace = std::max<std::int64_t>(replace, std::abs(k - other));
      }
    }
    EXPECT_EQ(sensitivity_add_remove(lattice), add_remove);
    EXPECT_EQ(sensitivity_replace(lattice), replace);
  }
}

TEST(Lattice, RefusesWhatIsNotARange) {
  const double nan = std::nan("");
  for (auto [lower, upper] : {std::pair{1.0, 1.0},
                              {2.0, 1.0},
                              {nan, 1.0},
                              {0.0, nan},
                              {-infinity, 0.0},
                              {0.0, infinity}}) {
    for (auto make : {centred_lattice, anchored_lattice}) {
      try {
        make(lower, upper, false);
        ADD_FAILURE() << lower << " " << upper;
      } catch (const Error& error) {
        EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
      }
    }
  }
  EXPECT_FALSE((Lattice{0, 0, 0, 1}.valid()));
  EXPECT_FALSE((Lattice{0, -1, 0, 1}.valid()));
  EXPECT_FALSE((Lattice{0, tiny, 0, 1}.valid()));
  EXPECT_FALSE((Lattice{infinity, 1, 0, 1}.valid()));
  EXPECT_FALSE((Lattice{0, 1, 1, 0}.valid()));
  EXPECT_FALSE((Lattice{0, 1, 0, Lattice::max_index + 1}.valid()));
}

}  // namespace
}  // namespace dpmix
