#include "core/input/block_grid.hpp"

#include <gtest/gtest.h>

namespace dpmix {
namespace {

constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
constexpr auto kMost = std::numeric_limits<std::int64_t>::max();

// Each value from the first on lies in the block whose ends surround it, and in no other.
TEST(BlockGrid, BlocksAreApartAndLeaveNothingOut) {
  for (const BlockGrid grid : {BlockGrid{-17, 7}, BlockGrid{0, 1}, BlockGrid{100, 24}}) {
    for (std::int64_t value = grid.first; value < grid.first + 200; ++value) {
      const std::int64_t block = grid.block_of(value);
      EXPECT_LE(grid.first_of(block), value);
      EXPECT_GE(grid.last_of(block), value);
      EXPECT_EQ(grid.last_of(block) + 1, grid.first_of(block + 1));
    }
    EXPECT_EQ(grid.block_of(grid.first), 0);
  }
}

// Months of the calendar, counted day by day: their lengths, leap years, and no year 0 left out.
TEST(BlockGrid, MonthsAreThoseOfTheCalendar) {
  constexpr int kLengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (const std::int64_t day : {std::int64_t{1}, std::int64_t{86'400'000'000}}) {
    const BlockGrid months{-400 * 365 * day - 97 * day, -1, day};  // from 1600-01-01 on
    std::int64_t block = 0, value = months.first;
    for (int year = 1600; year < 2450; ++year) {
      const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
      for (int month = 0; month < 12; ++month, ++block) {
        const std::int64_t days = kLengths[month] + (leap && month == 1);
        ASSERT_EQ(months.first_of(block), value) << year << "-" << month + 1;
        ASSERT_TRUE(months.begins_month(value));
        ASSERT_EQ(months.block_of(value), block);
        ASSERT_FALSE(months.begins_month(value + day * days / 2));
        value += days * day;
        ASSERT_EQ(months.last_of(block), value - 1);
        ASSERT_EQ(months.block_of(value - 1), block);
      }
    }
  }
}

TEST(BlockGrid, YearsAreTwelveMonths) {
  const BlockGrid years{0, -12, 1};  // from 2000-01-01 on
  EXPECT_EQ(years.first_of(1), 366);
  EXPECT_EQ(years.block_of(365), 0);
  EXPECT_EQ(years.block_of(9'496), 25);  // 2025-12-31
  EXPECT_EQ(years.block_of(9'497), 26);
  EXPECT_EQ(years.last_of(kMost), years.last_of(kMost / 2));  // beyond all values
  EXPECT_GT(years.last_of(kMost), 5'000'000 * 365LL);
}

TEST(BlockGrid, EndsOfNumbers) {
  const BlockGrid grid{kLeast, kMost};
  EXPECT_EQ(grid.block_of(kMost), 2);
  EXPECT_EQ(grid.last_of(2), kMost);
  EXPECT_EQ((BlockGrid{0, kMost}.last_of(kMost)), kMost);
}

}  // namespace
}  // namespace dpmix
