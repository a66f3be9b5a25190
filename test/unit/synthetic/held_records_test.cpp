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
      ASSERT_TRUE(held.add(i % 2 * 2, record.data()));
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

// Whatever the classes, what fits is most of the memory and never more.
TEST(HeldRecords, KeepsToItsMemory) {
  for (const std::size_t bytes : {std::size_t{1} << 16, std::size_t{1} << 22}) {
    for (const int coordinates : {1, 7, 784}) {
      for (const int classes : {1, 10}) {
        HeldRecords held(classes, coordinates, bytes);
        const std::vector<std::int32_t> record(static_cast<std::size_t>(coordinates), 5);
        std::size_t fitted = 0;
        while (held.add(static_cast<int>(fitted) % classes, record.data())) ++fitted;
        const std::size_t size = fitted * record.size() * sizeof(std::int32_t);
        EXPECT_LE(size, bytes);
        if (bytes > (1 << 20)) {
          EXPECT_GT(size, bytes * 7 / 10) << coordinates << " " << classes;
        }
        held.drop();
      }
    }
  }
  HeldRecords none(5, 784, 100);
  EXPECT_FALSE(none.add(4, std::vector<std::int32_t>(784).data()));
}

// What is sure to fit does so however it is spread over the classes, and is most of the memory.
TEST(HeldRecords, IsSureOfWhatFitsInAnyOrder) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{1} << 16, std::size_t{1} << 22}) {
    for (const int coordinates : {1, 7, 784}) {
      for (const int classes : {1, 10, 300}) {
        const std::vector<std::int32_t> record(static_cast<std::size_t>(coordinates), 5);
        for (const bool spread : {false, true}) {
          HeldRecords held(classes, coordinates, bytes);
          for (std::int64_t i = 0; i < held.sure(); ++i) {  // a tile of each other class for one
            const bool alone = spread && i < classes - 1;
            ASSERT_TRUE(held.add(alone ? static_cast<int>(i) + 1 : 0, record.data()))
                << bytes << " " << coordinates << " " << classes << " " << i;
          }
          if (bytes > (1 << 20) && classes <= 10) {
            const std::size_t size = static_cast<std::size_t>(held.sure()) * record.size() * 4;
            EXPECT_GT(size, bytes * 6 / 10) << coordinates << " " << classes;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace dpmix
