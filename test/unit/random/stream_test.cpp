#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <set>
#include <vector>

namespace dpmix {
namespace {

using Key = RandomStream::Key;

// ChaCha20 as RFC 8439 writes it down, nonce 0: `blocks` blocks of keystream.
std::vector<std::uint8_t> reference_chacha20(const Key& key, std::uint32_t blocks) {
  std::vector<std::uint8_t> keystream;
  for (std::uint32_t counter = 0; counter < blocks; ++counter) {
    std::array<std::uint32_t, 16> in{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    std::memcpy(&in[4], key.data(), key.size());
    in[12] = counter;
    auto x = in;
    const auto quarter = [&x](int a, int b, int c, int d) {
      x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 16);
      x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 12);
      x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 8);
      x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 7);
    };
    for (int i = 0; i < 10; ++i) {
      quarter(0, 4, 8, 12), quarter(1, 5, 9, 13), quarter(2, 6, 10, 14), quarter(3, 7, 11, 15);
      quarter(0, 5, 10, 15), quarter(1, 6, 11, 12), quarter(2, 7, 8, 13), quarter(3, 4, 9, 14);
    }
    for (int i = 0; i < 16; ++i) {
      x[i] += in[i];
      for (int byte = 0; byte < 4; ++byte) keystream.push_back((x[i] >> (8 * byte)) & 0xff);
    }
  }
  return keystream;
}

std::uint64_t little_endian(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  for (int i = 7; i >= 0; --i) word = word << 8 | bytes[i];
  return word;
}

Key counting_key() {
  Key key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(7 * i + 1);
  return key;
}

// RFC 8439, A.1, test vector 1: the first 32 bytes are the next key, the words begin behind them.
TEST(RandomStream, IsChaCha20) {
  RandomStream random(Key{});
  EXPECT_EQ(random.next64(), 0x8d4857517c5941da);
  EXPECT_EQ(random.next64(), 0x374ad8b83fe02477);
  EXPECT_EQ(random.next64(), 0x1ca11815f4b8436a);
  EXPECT_EQ(random.next64(), 0x8665eeb269b687c3);
}

TEST(RandomStream, EachRefillReplacesTheKey) {
  Key key = counting_key();
  RandomStream random(key);
  for (int refill = 0; refill < 5; ++refill) {
    const auto keystream = reference_chacha20(key, 64);
    for (std::size_t at = key.size(); at < keystream.size(); at += 8) {
      ASSERT_EQ(random.next64(), little_endian(&keystream[at])) << refill << " " << at;
    }
    std::copy_n(keystream.begin(), key.size(), key.begin());
  }
}

TEST(RandomStream, EqualKeysGiveEqualBits) {
  RandomStream a(counting_key()), b(counting_key());
  Key other = counting_key();
  other[31] ^= 1;
  RandomStream c(other);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t word = a.next64();
    ASSERT_EQ(word, b.next64());
    ASSERT_NE(word, c.next64());
    ASSERT_TRUE(seen.insert(word).second);
  }
}

TEST(RandomStream, BitsAreThoseOfAWord) {
  RandomStream words(counting_key()), bits(counting_key());
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t expected = words.next64();
    std::uint64_t word = 0;
    for (int j = 0; j < 64; ++j) word |= static_cast<std::uint64_t>(bits.bit()) << j;
    ASSERT_EQ(word, expected);
  }
}

TEST(RandomStream, BelowCoversItsRangeAndNoMore) {
  RandomStream random(counting_key());
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(random.below(1), 0u);
    seen.insert(random.below(7));
    EXPECT_LT(random.below((std::uint64_t{1} << 63) + 1), (std::uint64_t{1} << 63) + 1);
    EXPECT_LT(random.below(~std::uint64_t{0}), ~std::uint64_t{0});
  }
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
}

// 2^64 mod (3 * 2^62) is 2^62: a quarter of the words must be rejected, those whose product with
// the bound has a low word less than 2^62. A sampler without rejection would return 2/4 for one
// residue class of three.
TEST(RandomStream, BelowRejects) {
  RandomStream random(counting_key()), words(counting_key());
  const std::uint64_t bound = std::uint64_t{3} << 62;
  int rejected = 0;
  for (int i = 0; i < 4000; ++i) {
    unsigned __int128 product;
    while (static_cast<std::uint64_t>(product = static_cast<unsigned __int128>(words.next64()) *
                                                bound) < std::uint64_t{1} << 62) {
      ++rejected;
    }
    ASSERT_EQ(random.below(bound), static_cast<std::uint64_t>(product >> 64));
  }
  EXPECT_NEAR(rejected, 4000 / 3.0, 300);
}

bool holds(const unsigned char* memory, std::size_t size, const void* what, std::size_t length) {
  const auto* bytes = static_cast<const unsigned char*>(what);
  return std::search(memory, memory + size, bytes, bytes + length) != memory + size;
}

TEST(RandomStream, ErasesUsedWordsAndAllAtItsEnd) {
  const auto keystream = reference_chacha20(counting_key(), 64);
  const auto memory = std::make_unique<unsigned char[]>(sizeof(RandomStream));
  auto* random = new (memory.get()) RandomStream(counting_key());
  const auto in_memory = [&](const void* what, std::size_t length) {
    return holds(memory.get(), sizeof(RandomStream), what, length);
  };
  const std::uint64_t first = random->next64();
  EXPECT_TRUE(in_memory(&keystream[40], 8));     // a word still to come: the search does find
  EXPECT_FALSE(in_memory(&first, 8));            // a used word
  EXPECT_FALSE(in_memory(keystream.data(), 8));  // the next key
  EXPECT_FALSE(in_memory(counting_key().data(), 8));
  random->bit();
  random->~RandomStream();
  for (std::size_t at = 0; at < keystream.size(); at += 8) {
    EXPECT_FALSE(in_memory(&keystream[at], 8)) << at;
  }
  std::uint64_t bits = 0;  // what bit() left of its word
  std::memcpy(&bits, &keystream[40], 8);
  bits >>= 1;
  EXPECT_FALSE(in_memory(&bits, 8));
}

}  // namespace
}  // namespace dpmix
