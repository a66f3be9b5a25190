#include "core/base/hash_set.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

#include "core/random/stream.hpp"

namespace dpmix {
namespace {

TEST(HashSet, TellsNewFromOld) {
  for (const std::uint64_t hashes : {std::uint64_t{3}, std::uint64_t{5000}, ~std::uint64_t{0}}) {
    RandomStream random({1});
    HashSet set;
    std::unordered_set<std::uint64_t> known;
    for (int i = 0; i < 50000; i++) {
      const std::uint64_t hash = random.below(hashes) + 1;
      ASSERT_EQ(set.add(hash), known.insert(hash).second);
      ASSERT_EQ(set.size(), known.size());
    }
    for (const std::uint64_t hash : known) ASSERT_FALSE(set.add(hash));
  }
}

// Hashes that want the same place, up to the end of the table.
TEST(HashSet, FindsPlacesAroundTheEnd) {
  HashSet set;
  for (std::uint64_t i = 0; i < 40000; i++) ASSERT_TRUE(set.add(~std::uint64_t{0} - i));
  for (std::uint64_t i = 0; i < 40000; i++) ASSERT_FALSE(set.add(~std::uint64_t{0} - i));
}

TEST(HashSet, TakesZeroForOne) {
  HashSet set;
  EXPECT_TRUE(set.add(0));
  EXPECT_FALSE(set.add(0));
  EXPECT_FALSE(set.add(1));
  EXPECT_EQ(set.size(), 1U);
}

}  // namespace
}  // namespace dpmix
