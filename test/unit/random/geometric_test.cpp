#include "core/random/geometric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

TEST(Geometric, LargeRatesGiveZero) {
  RandomStream random({1});
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(geometric(random, {1e7}) == 0);
    EXPECT_TRUE(two_sided_geometric(random, {1e7}) == 0);
    EXPECT_EQ(truncated_two_sided_geometric(random, 1e7, 10), 0);
    EXPECT_EQ(truncated_two_sided_geometric(random, 1, 0), 0);
  }
}

// Every inversion by doubles where they decide, or by exact arithmetic: outcome and words used must
// be the same.
TEST(Geometric, ExactPathAgreesWithDoubles) {
  for (const ExactRate& rate :
       {ExactRate{1e7}, ExactRate{3}, ExactRate{1, 1, 3}, ExactRate{.49}, ExactRate{1e-3},
        ExactRate{0x1.8p-20}, ExactRate{0x1p-21}, ExactRate{0x1p-80}, ExactRate{1e300, 7, 2}}) {
    const Geometric usual(rate), exact(rate, 100), narrow(rate, 1e-7);
    RandomStream first({9}), second({9}), third({9});
    for (int i = 0; i < 300; ++i) {
      const UInt128 k = usual(first);
      ASSERT_TRUE(k == exact(second)) << rate.rate << " " << i;
      ASSERT_TRUE(k == narrow(third)) << rate.rate << " " << i;
    }
    const std::uint64_t next = first.next64();
    EXPECT_EQ(next, second.next64());
    EXPECT_EQ(next, third.next64());
  }
}

// Mean 1/r - 1/2 or so; the standard error of the mean of n draws is 1/(r sqrt n).
TEST(Geometric, MeanIsRightAtTheLeastRates) {
  RandomStream random({2});
  constexpr int draws = 4000;
  for (const ExactRate& rate :
       {ExactRate{1e-6, 1, std::uint64_t{1} << 30}, ExactRate{1e-6, 1, std::uint64_t{1} << 53},
        ExactRate{0x1p-80}, ExactRate{0x1p-70, 3, 7}}) {
    const double r =
        rate.rate * static_cast<double>(rate.times) / static_cast<double>(rate.divisor);
    double sum = 0, signed_sum = 0;
    for (int i = 0; i < draws; ++i) {
      sum += static_cast<double>(geometric(random, rate));
      signed_sum += static_cast<double>(two_sided_geometric(random, rate));
    }
    EXPECT_NEAR(sum * r / draws, 1, 7 / std::sqrt(draws));
    EXPECT_NEAR(signed_sum * r / draws, 0, 7 * std::sqrt(2. / draws));
  }
}

// All 128 bits of a long draw are random, not only the leading 53.
TEST(Geometric, LowBitsAreFair) {
  RandomStream random({3});
  std::array<int, 60> ones{};
  for (int i = 0; i < 4000; ++i) {
    const UInt128 k = geometric(random, {0x1p-80});
    for (std::size_t bit = 0; bit < ones.size(); ++bit) ones[bit] += static_cast<int>(k >> bit & 1);
  }
  for (const int count : ones) EXPECT_NEAR(count, 2000, 7 * std::sqrt(1000));
}

TEST(Geometric, TruncationHolds) {
  RandomStream random({4});
  for (const double rate : {0., 1e-9, .05, .1, 2.}) {
    for (const int limit : {1, 5, 10, 1000}) {
      int least = limit, largest = -limit;
      for (int i = 0; i < 500; ++i) {
        const int k = truncated_two_sided_geometric(random, rate, limit);
        least = std::min(least, k);
        largest = std::max(largest, k);
      }
      EXPECT_GE(least, -limit);
      EXPECT_LE(largest, limit);
      EXPECT_LT(least, 0);
      EXPECT_GT(largest, 0);
    }
  }
}

TEST(Geometric, RefusesRatesOutOfRange) {
  RandomStream random({5});
  for (const ExactRate& rate : {ExactRate{0}, ExactRate{-1}, ExactRate{0x1p-81},
                                ExactRate{std::nan("")}, ExactRate{1, 0, 1}, ExactRate{1, 1, 0},
                                ExactRate{std::numeric_limits<double>::infinity()}}) {
    EXPECT_THROW(geometric(random, rate), Error) << rate.rate;
    EXPECT_THROW(two_sided_geometric(random, rate), Error) << rate.rate;
  }
  EXPECT_THROW(truncated_two_sided_geometric(random, -1, 3), Error);
  EXPECT_THROW(truncated_two_sided_geometric(random, std::nan(""), 3), Error);
  EXPECT_THROW(truncated_two_sided_geometric(random, 1, -1), Error);
}

}  // namespace
}  // namespace dpmix
