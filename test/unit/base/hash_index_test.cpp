#include "core/base/hash_index.hpp"

#include <gtest/gtest.h>

#include <unordered_map>

#include "core/base/blocks.hpp"
#include "core/random/stream.hpp"

namespace dpmix {
namespace {

// Few hashes: all things of one hash must be told apart by what they are.
TEST(HashIndex, FindsWhatWasAdded) {
  for (const std::uint64_t hashes : {std::uint64_t{1}, std::uint64_t{50}, ~std::uint64_t{0}}) {
    RandomStream random({1});
    HashIndex index;
    std::vector<std::uint64_t> thing;
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    const auto hash_of = [&](std::uint64_t x) { return mix_bits(x) % hashes; };
    const std::uint64_t things = hashes == 1 ? 100 : 40000;
    for (std::uint64_t i = 0; i < 2 * things; i++) {
      const std::uint64_t x = random.below(things);
      const auto is_equal = [&](std::uint32_t number) { return thing[number] == x; };
      const std::uint32_t found = index.find(hash_of(x), is_equal);
      const auto [expected, added] = known.try_emplace(x, index.count());
      ASSERT_EQ(found, added ? HashIndex::kNone : expected->second);
      if (!added) continue;
      const auto stored = [&](std::uint32_t number) { return hash_of(thing[number]); };
      ASSERT_EQ(index.add(hash_of(x), stored), expected->second);
      thing.push_back(x);
    }
    ASSERT_EQ(index.count(), known.size());
  }
}

// Of most things the first number that is looked at is theirs; of what is not there, any or none.
TEST(HashIndex, GuessesWhatItWillLookAt) {
  HashIndex index;
  EXPECT_EQ(index.first_guess(mix_bits(1)), HashIndex::kNone);
  constexpr std::uint32_t kThings = 1 << 16;
  for (std::uint32_t i = 0; i < kThings; i++)
    index.add(mix_bits(i), [](auto n) { return mix_bits(n); });
  std::uint32_t good = 0;
  for (std::uint64_t x = 0; x < 2 * kThings; x++) {
    const std::uint32_t guess = index.first_guess(mix_bits(x));
    ASSERT_TRUE(guess < kThings || guess == HashIndex::kNone);
    good += guess == x;
  }
  EXPECT_GT(good, kThings / 2);
}

TEST(HashIndex, SeldomLooksAtAnotherThing) {
  HashIndex index;
  constexpr std::uint32_t kThings = 1 << 16;
  for (std::uint32_t i = 0; i < kThings; i++)
    index.add(mix_bits(i), [](auto n) { return mix_bits(n); });
  int looks = 0;
  for (std::uint64_t x = 0; x < kThings; x++) {
    ASSERT_EQ(index.find(mix_bits(x), [&](std::uint32_t n) { return looks++, n == x; }), x);
  }
  EXPECT_LT(looks, 1.01 * kThings);
}

TEST(Blocks, HoldWhatWasPut) {
  Blocks<std::uint64_t> blocks;
  constexpr std::size_t kSize = 3 * kLargePage / sizeof(std::uint64_t) + 5;
  for (std::size_t i = 0; i < kSize; i++) blocks.push_back(i * i);
  ASSERT_EQ(blocks.size(), kSize);
  const std::uint64_t* first = &blocks[0];
  blocks[7] = 1;
  for (std::size_t i = 0; i < kSize; i++) ASSERT_EQ(blocks[i], i == 7 ? 1 : i * i);
  EXPECT_EQ(first, &blocks[0]);
}

}  // namespace
}  // namespace dpmix
