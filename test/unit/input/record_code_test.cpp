#include "core/input/record_code.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/int128.hpp"
#include "core/random/stream.hpp"

namespace dpmix {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Int128 squared(const std::vector<std::int32_t>& record) {
  Int128 sum = 0;
  for (const std::int32_t x : record) sum += Int128{x} * x;
  return sum;
}

// Any double at all, the notorious ones often.
double any_double(RandomStream& random) {
  static constexpr double odd[] = {0,     -0.,     1,   -1,   1e308, -1.7e308, 5e-324,
                                   -1e-9, 1 << 20, inf, -inf, 1e15,  .5};
  if (random.below(3) == 0) return odd[random.below(std::size(odd))];
  const std::uint64_t bits = random.next64();
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void add_any_feature(RandomStream& random, RecordCode& code, std::vector<int>& categories) {
  static constexpr std::pair<double, double> bounds[] = {
      {0, 1}, {-1e308, 1e308}, {1e15, 1e15 + 1}, {-5e-324, 5e-324}, {.1, .3}, {-7, 1e-9}};
  switch (random.below(4)) {
    case 0:
      categories.push_back(1 + static_cast<int>(random.below(random.bit() ? 4 : 300)));
      code.add_categories(categories.back());
      break;
    case 1:
      categories.push_back(0);
      code.add_boolean();
      break;
    default: {
      const auto& [lower, upper] = bounds[random.below(std::size(bounds))];
      categories.push_back(0);
      code.add_number(lower, upper);
    }
  }
}

// The claim on which all noise is calibrated: whatever the doubles, the integers are bounded.
TEST(RecordCode, NormsNeverExceedTheSensitivity) {
  RandomStream random({1});
  int whole = 0;
  for (int shape = 0; shape < 400; ++shape) {
    static constexpr double clips[] = {1,  1,    .999999999, .9,   .5,     .1,
                                       .3, 1e-3, 1e-6,       1e-7, 1e-300, 5e-324};
    const double clip = clips[random.below(std::size(clips))];
    RecordCode code(clip);
    std::vector<int> categories;
    const auto features = 1 + random.below(random.bit() ? 3 : 40);
    for (std::uint64_t i = 0; i < features; ++i) add_any_feature(random, code, categories);
    const auto limit = static_cast<Int128>(code.norm());
    ASSERT_EQ(static_cast<double>(limit), code.norm());
    std::vector<std::int32_t> record(static_cast<std::size_t>(code.coordinates()));
    std::vector<double> values(categories.size());
    for (int i = 0; i < 60; ++i) {
      const bool corner = random.below(3) == 0;  // as long as can be
      for (std::size_t j = 0; j < values.size(); ++j) {
        if (categories[j] > 0 && random.below(50) != 0) {
          values[j] = static_cast<double>(random.below(static_cast<std::uint64_t>(categories[j])));
        } else {
          values[j] = corner ? (random.bit() ? inf : -inf) : any_double(random);
        }
      }
      if (!code.encode(values, record.data())) continue;
      ++whole;
      ASSERT_LE(squared(record), limit * limit) << "clip " << clip;
    }
  }
  EXPECT_GT(whole, 5000);
}

// All shapes of one kind, at their corners, which are the longest records.
TEST(RecordCode, TheLongestRecordsFitExactly) {
  for (int d = 1; d <= RecordCode::most_coordinates; d = d < 20 ? d + 1 : d * 5 / 4) {
    for (const double clip : {1., .999999999, .75, .01}) {
      RecordCode code(clip);
      for (int j = 0; j < d; ++j) code.add_number(0, 1);
      const double exact = clip * std::sqrt(d) * half_steps;
      EXPECT_GE(code.norm(), exact * (1 - 1e-15));
      EXPECT_LE(code.norm(), exact + 1.001);
      std::vector<double> values(static_cast<std::size_t>(d), inf);
      std::vector<std::int32_t> record(values.size());
      ASSERT_TRUE(code.encode(values, record.data()));
      const auto limit = static_cast<Int128>(code.norm());
      EXPECT_LE(squared(record), limit * limit);
      EXPECT_GE(static_cast<double>(squared(record)),
                std::pow(exact - std::sqrt(d) - 1, 2));  // nor shortened more than asked for
      if (clip == 1) {
        EXPECT_EQ(record.front(), half_steps);
      }
    }
  }
}

TEST(RecordCode, CategoriesAreASimplexOfABoundsLength) {
  for (const int count : {1, 2, 3, 5, 10, 100, 1000, 4096}) {
    RecordCode code;
    code.add_categories(count);
    EXPECT_EQ(code.coordinates(), count);
    EXPECT_EQ(code.norm(), half_steps);
    std::vector<std::int32_t> record(static_cast<std::size_t>(count));
    for (const int c : {0, count / 2, count - 1}) {
      const double value = c;
      ASSERT_TRUE(code.encode({&value, 1}, record.data()));
      EXPECT_LE(squared(record), Int128{half_steps} * half_steps);
      std::vector<double> half_widths;
      for (const std::int32_t x : record) {
        half_widths.push_back(static_cast<double>(x) / half_steps);
      }
      if (count == 1) {
        EXPECT_EQ(record.front(), 0);
      } else {
        EXPECT_GE(static_cast<double>(squared(record)), std::pow(half_steps - 64., 2));
        const double low = half_widths[static_cast<std::size_t>(c == 0 ? 1 : 0)];
        EXPECT_NEAR(low, -1. / count / std::sqrt(1 - 1. / count), 1e-6);
        EXPECT_EQ(code.choices().front().low, low);
        EXPECT_EQ(code.choices().front().high, half_widths[static_cast<std::size_t>(c)]);
      }
      int back = -1;
      code.decode(half_widths.data(), nullptr, &back);
      EXPECT_EQ(back, c);
    }
  }
}

TEST(RecordCode, BoundsAndMiddleComeBack) {
  RecordCode code;
  code.add_number(0, 120);
  for (const auto& [value, steps] : {std::pair{60., 0}, {120., 1 << 20}, {-3., -(1 << 20)}}) {
    std::int32_t at = 0;
    EXPECT_TRUE(code.encode({&value, 1}, &at));
    EXPECT_EQ(at, steps);
  }
  const double value = 37;
  std::int32_t at = 0;
  EXPECT_TRUE(code.encode({&value, 1}, &at));
  const double half_widths = static_cast<double>(at) / half_steps;
  double back = 0;
  code.decode(&half_widths, &back, nullptr);
  EXPECT_NEAR(back, value, 120. / half_steps);
}

TEST(RecordCode, NumbersAndCategoriesComeBackInTheirOrder) {
  RecordCode code;
  code.add_categories(3);
  code.add_number(0, 10);
  code.add_categories(2);
  code.add_boolean();
  EXPECT_EQ(code.features(), 4);
  EXPECT_EQ(code.numbers(), 2);
  EXPECT_EQ(code.groups(), 2);
  EXPECT_EQ(code.coordinates(), 7);
  ASSERT_EQ(code.choices().size(), 3u);
  EXPECT_EQ(code.choices()[1].first, 4);
  EXPECT_EQ(code.choices()[2].size, 1);
  std::array<std::int32_t, 7> record;
  ASSERT_TRUE(code.encode(std::array{2., 10., 0., 1.}, record.data()));
  std::array<double, 7> half_widths;
  for (std::size_t j = 0; j < 7; ++j) {
    half_widths[j] = static_cast<double>(record[j]) / half_steps;
  }
  std::array<double, 2> numbers;
  std::array<int, 2> categories;
  code.decode(half_widths.data(), numbers.data(), categories.data());
  EXPECT_EQ(numbers, (std::array{10., 1.}));
  EXPECT_EQ(categories, (std::array{2, 0}));
}

TEST(RecordCode, ShorteningKeepsTheDirection) {
  RecordCode code(.5);
  for (int j = 0; j < 4; ++j) code.add_number(-1, 1);
  std::array<std::int32_t, 4> record;
  ASSERT_TRUE(code.encode(std::array{1., .5, -1., 0.}, record.data()));
  const double factor = 1 / std::sqrt(1 + .25 + 1);  // the norm may be 1
  EXPECT_NEAR(record[0], factor * half_steps, 2);
  EXPECT_NEAR(record[1], factor * half_steps / 2, 2);
  EXPECT_EQ(record[2], -record[0]);
  EXPECT_EQ(record[3], 0);
  ASSERT_TRUE(code.encode(std::array{.5, .25, -.25, 0.}, record.data()));  // short enough
  EXPECT_EQ(record[0], half_steps / 2);
}

TEST(RecordCode, WhatIsNoValueMakesTheRecordIncomplete) {
  RecordCode code;
  code.add_number(0, 1);
  code.add_categories(2);
  std::array<std::int32_t, 3> record;
  EXPECT_TRUE(code.encode(std::array{inf, 1.}, record.data()));
  EXPECT_FALSE(code.encode(std::array{std::nan(""), 1.}, record.data()));
  for (const double category : {std::nan(""), -1., 2., inf, -inf, 1e300}) {
    EXPECT_FALSE(code.encode(std::array{.5, category}, record.data()));
  }
}

TEST(RecordCode, RefusesClipsAndTooManyCoordinates) {
  for (const double clip : {0., -1., 1.0000001, inf, -inf, std::nan("")}) {
    EXPECT_THROW(RecordCode{clip}, Error);
  }
  RecordCode code;
  code.add_categories(4095);
  code.add_number(0, 1);
  EXPECT_NO_THROW(code.check());
  code.add_number(0, 1);
  try {
    code.check();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
    EXPECT_NE(error.detail.find("4097"), std::string::npos);
    EXPECT_FALSE(error.hint.empty());
  }
}

}  // namespace
}  // namespace dpmix
