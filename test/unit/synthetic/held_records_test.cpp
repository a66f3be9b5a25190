#include "core/synthetic/held_records.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace dpmix {
namespace {

std::int64_t records_in(const HeldRecords& held, int k) {
  std::int64_t records = 0;
  for (const HeldRecords::Tile& tile : held.of(k)) records += tile.records;
  return records;
}

TEST(HeldRecords, GivesBackWhatItWasGivenClassByClass) {
  for (const int coordinates : {1, 7, 127, 128, 129, 1000}) {
    HeldRecords held(3, coordinates, std::size_t{1} << 24);
    std::vector<std::int32_t> record(static_cast<std::size_t>(coordinates));
    for (int i = 0; i < 1000; ++i) {
      for (std::size_t j = 0; j < record.size(); ++j) record[j] = i - 1000 * static_cast<int>(j);
      held.add(i % 2 * 2, record.data());
    }
    EXPECT_EQ(records_in(held, 1), 0);
    for (const int k : {0, 2}) {
      int i = k / 2;
      for (const HeldRecords::Tile& tile : held.of(k)) {
        for (std::int64_t n = 0; n < tile.records; ++n, i += 2) {
          for (std::size_t j = 0; j < record.size(); ++j) {
            ASSERT_EQ(held.record(tile, n)[j], i - 1000 * static_cast<int>(j));
          }
        }
      }
      EXPECT_EQ(i, 1000 + k / 2);
    }
  }
}

// What is sure to fit does so however it is spread over the classes, and is most of the memory.
// Records beyond it are held, too.
TEST(HeldRecords, IsSureOfWhatFitsInAnyOrder) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{1} << 16, std::size_t{1} << 22}) {
    for (const int coordinates : {1, 7, 784}) {
      for (const int classes : {1, 10, 300}) {
        const std::vector<std::int32_t> record(static_cast<std::size_t>(coordinates), 5);
        for (const bool spread : {false, true}) {
          HeldRecords held(classes, coordinates, bytes);
          for (std::int64_t i = 0; i < held.sure(); ++i) {  // a tile of each other class for one
            const bool alone = spread && i < classes - 1;
            held.add(alone ? static_cast<int>(i) + 1 : 0, record.data());
          }
          std::size_t tiles = 0, tile = 0;  // the first one is as full as any
          for (int k = 0; k < classes; ++k) tiles += held.of(k).size();
          if (!held.of(0).empty()) tile = static_cast<std::size_t>(held.of(0).front().records);
          EXPECT_LE(tiles * tile * record.size() * sizeof(std::int32_t), bytes)
              << bytes << " " << coordinates << " " << classes << " " << spread;
          if (bytes > (1 << 20) && classes <= 10) {
            const std::size_t size = static_cast<std::size_t>(held.sure()) * record.size() * 4;
            EXPECT_GT(size, bytes * 6 / 10) << coordinates << " " << classes;
          }
          const std::int64_t before = records_in(held, 0);
          for (int i = 0; i < 100; ++i) held.add(0, record.data());
          EXPECT_EQ(records_in(held, 0), before + 100);
        }
      }
    }
  }
}

}  // namespace
}  // namespace dpmix
