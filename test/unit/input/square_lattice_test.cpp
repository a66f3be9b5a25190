#include "core/input/square_lattice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace dpmix {
namespace {

// Reaches on both sides of where squares begin to be rounded, and the largest.
constexpr std::int64_t kReaches[] = {1,
                                     2,
                                     7,
                                     32768,
                                     32769,
                                     50'000,
                                     (std::int64_t{1} << 30) - 1,
                                     std::int64_t{1} << 30,
                                     (std::int64_t{1} << 40) + 12345,
                                     std::int64_t{1} << 53};

TEST(SquareLattice, SmallReachesAreExact) {
  for (std::int64_t reach = 1; reach <= 40; ++reach) {
    const SquarePlacer placer = square_placer(reach);
    ASSERT_EQ(placer.shift, 0);
    for (std::int64_t k = -reach; k <= reach; ++k) {
      EXPECT_EQ(placer.place(k), 2 * k * k - reach * reach);
    }
  }
}

TEST(SquareLattice, EveryPlaceIsInRangeNearestAndGrowsWithTheSquare) {
  std::mt19937_64 random(5);
  for (const std::int64_t reach : kReaches) {
    const SquarePlacer placer = square_placer(reach);
    const auto most = static_cast<std::int64_t>(placer.most());
    EXPECT_LE(most, std::int64_t{1} << 30);
    EXPECT_TRUE(placer.shift == 0 || most >= (std::int64_t{1} << 29)) << reach;  // no coarser
    EXPECT_EQ(placer.place(reach), most);
    EXPECT_GE(placer.place(0), -most);
    for (int trial = 0; trial < 2000; ++trial) {
      const auto k = std::uniform_int_distribution<std::int64_t>(-reach, reach)(random);
      const std::int64_t j = placer.place(k);
      EXPECT_LE(std::abs(j), most) << reach << " " << k;
      EXPECT_EQ(j, placer.place(-k));
      EXPECT_LE(j, placer.place(std::min(std::abs(k) + 1, reach)));
      const Int128 off = 2 * static_cast<Int128>(k) * k - static_cast<Int128>(reach) * reach -
                         (static_cast<Int128>(j) << placer.shift);
      const Int128 step = static_cast<Int128>(1) << placer.shift;
      EXPECT_TRUE(-step <= 2 * off && 2 * off <= step) << reach << " " << k;
    }
  }
}

TEST(SquareLattice, IsPricedAboutTheMiddleOfTheSquares) {
  const Lattice whole = square_lattice(centred_lattice(-3, 7, true));  // reach 5
  EXPECT_EQ(whole, (Lattice{12.5, 0.5, -25, 25}));
  const Lattice fine = square_lattice(centred_lattice(0, 3, false));
  EXPECT_EQ(fine.high, std::int64_t{1} << 30);  // the sensitivity of the sum too: one calibration
  EXPECT_EQ(fine.low, -fine.high);
  EXPECT_DOUBLE_EQ(static_cast<double>(fine.high) * fine.step, 1.125);
  EXPECT_DOUBLE_EQ(fine.origin, 1.125);
  for (const auto& [lower, upper] : {std::pair{-1e300, 1e300}, {0.0, 1e-200}, {1e300, 1.7e308}}) {
    EXPECT_TRUE(square_lattice(centred_lattice(lower, upper, false)).valid());
  }
}

}  // namespace
}  // namespace dpmix
