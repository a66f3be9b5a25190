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

TEST(BlockGrid, EndsOfNumbers) {
  const BlockGrid grid{kLeast, kMost};
  EXPECT_EQ(grid.block_of(kMost), 2);
  EXPECT_EQ(grid.last_of(2), kMost);
  EXPECT_EQ((BlockGrid{0, kMost}.last_of(kMost)), kMost);
}

}  // namespace
}  // namespace dpmix
