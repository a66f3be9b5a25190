#include "core/synthetic/row_mixer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/poll.hpp"
#include "core/input/record_code.hpp"
#include "core/synthetic/class_mixing.hpp"

namespace dpmix {
namespace {

RandomStream::Key key(std::uint8_t first) {
  RandomStream::Key key{};
  key[0] = first;
  return key;
}

constexpr auto half = static_cast<std::int32_t>(half_steps);

// Noise of 1e-9 steps rounds to none: what is left are the sums.
MixedClass silent(std::int64_t first, std::int64_t rows, int mix, double exponent) {
  return {first, rows, mix, exponent, -std::expm1(-exponent), 1e-9};
}

TEST(RowMixer, WholeClassesAndBlocksAddUp) {
  const double all = std::numeric_limits<double>::infinity();
  const std::vector<MixedClass> classes = {silent(0, 5, 2, all), silent(5, 4, 1, all)};
  RandomStream random(key(2));
  for (std::int64_t first = 0; first < 9; first += 3) {  // blocks across classes
    RowMixer mixer(classes, 2, first, 3);
    for (const std::int32_t x : {1, 10, 100}) {
      const std::array<std::int32_t, 2> record = {x, -half};
      mixer.add(random, 0, record.data());
    }
    const std::array<std::int32_t, 2> record = {half, 7};
    mixer.add(random, 1, record.data());
    for (std::int64_t t = first; t < first + 3; ++t) {
      std::array<double, 2> row;
      mixer.finish(random, t < 5 ? 0 : 1, t, row.data());
      EXPECT_EQ(row[0], t < 5 ? 111. / (2 * half_steps) : 1.);
      EXPECT_EQ(row[1], t < 5 ? -1.5 : 7. / half_steps);
    }
  }
}

TEST(RowMixer, RecordsJoinIndependentlyAtTheStatedRate) {
  // 40 rows in blocks of 1, 13 and 26; joins of one record are 40 coins of rate q.
  const double q = .3;
  const std::vector<MixedClass> classes = {silent(0, 40, 1, -std::log1p(-q))};
  RandomStream random(key(3));
  std::array<int, 40> joins{};
  int neighbours = 0;
  constexpr int records = 20'000;
  for (const auto& [first, rows] : {std::pair{0, 1}, {1, 13}, {14, 26}}) {
    for (int i = 0; i < records; ++i) {
      RowMixer mixer(classes, 1, first, rows);
      const std::int32_t one = half;
      mixer.add(random, 0, &one);
      double before = 0;
      for (int t = first; t < first + rows; ++t) {
        double row;
        mixer.finish(random, 0, t, &row);
        ASSERT_TRUE(row == 0 || row == 1);
        joins[static_cast<std::size_t>(t)] += row == 1;
        neighbours += before == 1 && row == 1;
        before = row;
      }
    }
  }
  // 6.7 deviations: false alarm below 1e-9 for all cells together.
  const double deviation = std::sqrt(records * q * (1 - q));
  for (const int count : joins) EXPECT_NEAR(count, records * q, 6.7 * deviation);
  const double pairs = 37. * records;
  EXPECT_NEAR(neighbours, pairs * q * q, 6.7 * std::sqrt(pairs * q * q * 2));
}

// A store whose tiles have two records of four coordinates: other classes stay empty.
HeldRecords small_tiles() {
  constexpr int classes = 64;
  return {classes, 4, std::size_t{8} * classes * 2 * 4 * sizeof(std::int32_t)};
}

enum class Mode { streamed, held };

// Which of three records join which of `rows` rows, as a number: record i is the unit vector i.
int pattern(RandomStream& random, RowMixer& mixer, int rows, Mode mode, const HeldRecords& held) {
  int bits = 0;
  for (int first = 0, length = 1; first < rows; first += length, length = rows - 1) {
    mixer.next_block(first, length);
    if (mode == Mode::held) {
      mixer.add_all(random, held);
    } else {
      for (std::size_t i = 0; i < 3; ++i) {
        std::array<std::int32_t, 4> record{};
        record[i] = half;
        mixer.add(random, 0, record.data());
      }
    }
    for (int t = first; t < first + length; ++t) {
      std::array<double, 4> row;
      mixer.finish(random, 0, t, row.data());
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(row[i] == 0 || row[i] == 1);
        bits = 2 * bits + (row[i] == 1 ? 1 : 0);
      }
      EXPECT_EQ(row[3], 0);
    }
  }
  return bits;
}

// The whole law: of all sets of (record, row) pairs that can join, each comes up as often as
// independent coins have it.
TEST(RowMixer, PairsJoinByIndependentCoinsStreamedAndHeld) {
  constexpr int rows = 3, pairs = 3 * rows, runs = 60'000;
  HeldRecords held = small_tiles();
  for (std::size_t i = 0; i < 3; ++i) {  // a full tile and half of one
    std::array<std::int32_t, 4> record{};
    record[i] = half;
    held.add(0, record.data());
  }
  ASSERT_EQ(held.of(0).size(), 2U);
  RandomStream random(key(4));
  for (const double q : {.35, .6}) {
    const std::vector<MixedClass> classes = {silent(0, rows, 1, -std::log1p(-q))};
    for (const Mode mode : {Mode::streamed, Mode::held}) {
      RowMixer mixer(classes, 4, 0, 1);
      std::vector<int> seen(1 << pairs);
      for (int run = 0; run < runs; ++run) {
        ++seen[static_cast<std::size_t>(pattern(random, mixer, rows, mode, held))];
      }
      double statistic = 0;
      for (std::size_t bits = 0; bits < seen.size(); ++bits) {
        const int joined = std::popcount(bits);
        const double expected = runs * std::pow(q, joined) * std::pow(1 - q, pairs - joined);
        statistic += std::pow(seen[bits] - expected, 2) / expected;
      }
      // Least expected cell: 4.7. Of 511 degrees of freedom, 1e-10 lies at 736; the cells' skew
      // widens that a little.
      EXPECT_LT(statistic, 780) << q << (mode == Mode::held ? " held" : " streamed");
      EXPECT_GT(statistic, 320) << "too good to be true";
    }
  }
}

// Long class, several tiles, blocks: how many records join a row, and that no record is left out.
TEST(RowMixer, EveryHeldRecordJoinsAtTheStatedRate) {
  constexpr int records = 3000, rows = 200;
  const double q = .02;
  HeldRecords held(64, 2, std::size_t{1} << 20);  // tiles of 256 records
  for (int i = 0; i < records; ++i) {
    const std::array<std::int32_t, 2> record = {1, i};
    held.add(1, record.data());
  }
  ASSERT_GT(held.of(1).size(), 10U);
  // Class 0 has no records, class 2 no rows.
  const std::vector<MixedClass> classes = {silent(0, 3, 1, -std::log1p(-q)),
                                           silent(3, rows, 1, -std::log1p(-q)),
                                           {3 + rows, 0, 1, 0, 0, 0}};
  RandomStream random(key(5));
  RowMixer mixer(classes, 2, 0, 70);
  double joined = 0, places = 0;
  for (int first = 0; first < 3 + rows; first += 70) {
    const int length = std::min(70, 3 + rows - first);
    mixer.next_block(first, length);
    EXPECT_EQ(mixer.takes(0), first == 0);
    EXPECT_FALSE(mixer.takes(2));
    mixer.add_all(random, held);
    for (int t = first; t < first + length; ++t) {
      std::array<double, 2> row;
      mixer.finish(random, t < 3 ? 0 : 1, t, row.data());
      if (t < 3) {
        EXPECT_EQ(row[0], 0);
      }
      joined += row[0] * half;
      places += row[1] * half;
    }
  }
  const double pairs = double{records} * rows, variance = pairs * q * (1 - q);
  EXPECT_NEAR(joined, pairs * q, 6.5 * std::sqrt(variance));
  EXPECT_NEAR(places, pairs * q * (records - 1) / 2, 6.5 * std::sqrt(variance / 3) * records);
}

// Every record joins: far more than 32 bits take, at both ends of a coordinate's range, with
// rows that fill cache lines and rows that do not.
TEST(RowMixer, SumsOfWholeClassesAreExactInBothModes) {
  constexpr int records = 2 * 2047 + 3, rows = 2;
  for (const int coordinates : {1, 16, 130}) {
    const std::vector<MixedClass> classes = {
        silent(0, rows, 1, std::numeric_limits<double>::infinity())};
    HeldRecords held(1, coordinates, std::size_t{1} << 23);
    RandomStream random(key(6));
    RowMixer streamed(classes, coordinates, 0, rows), tiled(classes, coordinates, 0, rows);
    std::vector<std::int32_t> record(static_cast<std::size_t>(coordinates));
    for (int i = 0; i < records; ++i) {
      for (std::size_t j = 0; j < record.size(); ++j) {
        record[j] = j % 3 == 0 ? half : j % 3 == 1 ? -half : i + static_cast<int>(j);
      }
      held.add(0, record.data());
      streamed.add(random, 0, record.data());
    }
    tiled.add_all(random, held);
    std::vector<double> a(record.size()), b(record.size());
    for (int t = 0; t < rows; ++t) {
      streamed.finish(random, 0, t, a.data());
      tiled.finish(random, 0, t, b.data());
      for (std::size_t j = 0; j < record.size(); ++j) {
        const double indexes = records * ((records - 1) / 2. + static_cast<double>(j));
        const double sum = j % 3 == 0 ? records : j % 3 == 1 ? -records : indexes / half;
        EXPECT_EQ(a[j], sum) << j;
        EXPECT_EQ(b[j], sum) << j;
      }
    }
  }
}

int polls = 0;

TEST(RowMixer, PollsWhileItMixes) {
  constexpr int coordinates = 500, records = 2000, rows = 50;
  const std::vector<MixedClass> classes = {silent(0, rows, 1, -std::log1p(-.5))};
  HeldRecords held(1, coordinates, std::size_t{1} << 23);
  const std::vector<std::int32_t> record(coordinates, 1);
  for (int i = 0; i < records; ++i) held.add(0, record.data());
  RandomStream random(key(7));
  RowMixer mixer(classes, coordinates, 0, rows);
  constexpr int additions = records * rows / 2 * coordinates;
  for (const Mode mode : {Mode::streamed, Mode::held}) {
    polls = 0;
    poll_hook = [] { ++polls; };
    if (mode == Mode::held) {
      mixer.add_all(random, held);
    } else {
      for (int i = 0; i < records; ++i) mixer.add(random, 0, record.data());
    }
    poll_hook = nullptr;
    EXPECT_GT(polls, additions / 200'000);
  }
  poll_hook = [] { throw 1; };
  EXPECT_THROW(mixer.add_all(random, held), int);
  EXPECT_THROW(mixer.next_block(0, rows), int);
  poll_hook = nullptr;
}

}  // namespace
}  // namespace dpmix
