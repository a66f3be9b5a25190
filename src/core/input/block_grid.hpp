// Blocks of a growing table: pieces of a column's values, numbered from 0 (docs/proofs/blocks.md):
// equal ones, or whole months of the calendar. Values are whole numbers, days or microseconds since
// 2000-01-01; what lies before the first block is in none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/base/int128.hpp"

namespace dpmix {

struct BlockGrid {
  std::int64_t first;    // the least value of block 0; of months, where one begins
  std::int64_t width;    // of a block, at least 1; below 0: so many months
  std::int64_t day = 1;  // how many values a day has, where blocks are of months
  bool operator==(const BlockGrid&) const = default;

  bool of_months() const { return width < 0; }
  // value >= first.
  std::int64_t block_of(std::int64_t value) const {
    if (of_months()) return (month_of(value) - month_of(first)) / -width;
    return static_cast<std::int64_t>((static_cast<Int128>(value) - first) / width);
  }
  // The least and the largest value of a block; the ends of all values where these come before.
  std::int64_t first_of(std::int64_t block) const { return clamped(start_of(block)); }
  std::int64_t last_of(std::int64_t block) const {
    return clamped(start_of(static_cast<Int128>(block) + 1) - 1);
  }
  // Whether a month begins with this value.
  bool begins_month(std::int64_t value) const { return start_of_month(month_of(value)) == value; }

 private:
  static std::int64_t clamped(Int128 value) {
    return static_cast<std::int64_t>(std::clamp<Int128>(
        value, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
  }
  static constexpr std::int64_t floor_of(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
  }
  Int128 start_of(Int128 block) const {
    if (!of_months()) return block * width + first;
    // Months that reach beyond the values of all types.
    constexpr Int128 most = 12 * 10'000'000;
    return start_of_month(
        static_cast<std::int64_t>(std::min<Int128>(month_of(first) - block * width, most)));
  }

  // The Gregorian calendar, before 1582 too, as PostgreSQL has it. Years begin in March here, so
  // that the day that comes and goes is their last; 400 of them have 146 097 days.
  static constexpr std::int64_t kMarch = 1 + 31 + 29 - 1;  // 2000-03-01, in days since 2000-01-01
  // Months since the beginning of 2000.
  std::int64_t month_of(std::int64_t value) const {
    const std::int64_t days = floor_of(value, day) - kMarch;
    const std::int64_t era = floor_of(days, 146'097), within = days - era * 146'097;
    const std::int64_t year = (within - within / 1'460 + within / 36'524 - within / 146'096) / 365;
    const std::int64_t of_year = within - (365 * year + year / 4 - year / 100);
    return 12 * (400 * era + year) + (5 * of_year + 2) / 153 + 2;
  }
  Int128 start_of_month(std::int64_t month) const {
    const std::int64_t since = month - 2, years = floor_of(since, 12), era = floor_of(years, 400);
    const std::int64_t year = years - era * 400, of_year = (153 * (since - 12 * years) + 2) / 5;
    return static_cast<Int128>(era * 146'097 + 365 * year + year / 4 - year / 100 + of_year +
                               kMarch) *
           day;
  }
};

}  // namespace dpmix
