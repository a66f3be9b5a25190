#include "core/release/aggregates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace dpmix {
namespace {

constexpr Int128 kHuge = static_cast<Int128>(1) << 120;

TEST(Aggregates, CountsKeepTheirSignAndSaturate) {
  EXPECT_EQ(count_answer(0), 0);
  EXPECT_EQ(count_answer(-7), -7);
  EXPECT_EQ(count_answer(kHuge), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(count_answer(-kHuge), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(count_answer(std::numeric_limits<std::int64_t>::min()),
            std::numeric_limits<std::int64_t>::min());
}

TEST(Aggregates, SumsAreInTheUnitsOfTheColumn) {
  const Lattice whole = anchored_lattice(-5, 10, true);
  EXPECT_EQ(sum_answer(whole, 123), 123);
  EXPECT_EQ(sum_answer(whole, -4), -4);
  const Lattice fine = anchored_lattice(0, 1, false);
  EXPECT_DOUBLE_EQ(sum_answer(fine, static_cast<Int128>(3) * fine.high), 3);
}

TEST(Aggregates, MeansOfExactStatisticsAreMeans) {
  const Lattice lattice = centred_lattice(0, 100, true);
  Int128 total = 0;
  for (double value : {0.0, 10.0, 100.0, 1000.0}) total += lattice.place(value);
  EXPECT_DOUBLE_EQ(mean_answer(lattice, 0, 100, 4, total), (0 + 10 + 100 + 100) / 4.0);
}

TEST(Aggregates, AnEmptyGroupGivesTheMiddleOfTheBounds) {
  const Lattice lattice = centred_lattice(-2, 8, false);
  EXPECT_EQ(mean_answer(lattice, -2, 8, 0, 0), 3);
  EXPECT_EQ(mean_answer(lattice, -2, 8, -50, 0), 3);
}

TEST(Aggregates, MeansStayWithinTheBoundsWhateverTheNoiseDid) {
  for (double lower : {-1e300, -7.0, 1e-300}) {
    for (double upper : {3.0, 1e308}) {
      const Lattice lattice = centred_lattice(lower, upper, false);
      for (Int128 count : {-kHuge, Int128{-1}, Int128{0}, Int128{1}, Int128{3}, kHuge}) {
        for (Int128 sum : {-kHuge, Int128{-5}, Int128{0}, kHuge}) {
          const double mean = mean_answer(lattice, lower, upper, count, sum);
          EXPECT_GE(mean, lower);
          EXPECT_LE(mean, upper);  // neither holds for NaN
        }
      }
    }
  }
}

// The noise of the count must not be multiplied by the middle of the bounds.
TEST(Aggregates, ConstantColumnsAtTheMiddleAreExactUnderNoisyCounts) {
  const Lattice lattice = centred_lattice(1000, 1002, true);
  const Int128 total = Int128{50} * lattice.place(1001);
  for (Int128 count : {-3, 1, 40, 50, 66}) {
    EXPECT_EQ(mean_answer(lattice, 1000, 1002, count, total), 1001);
  }
}

}  // namespace
}  // namespace dpmix
