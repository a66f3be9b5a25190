#include "core/random/lazy_uniform.hpp"

#include <gtest/gtest.h>

namespace dpmix {
namespace {

TEST(LazyUniform, RevealsWholeWords) {
  RandomStream random({1}), words({1});
  LazyUniform u{5, 3};
  u.reveal(random);
  EXPECT_EQ(u.value, boost::multiprecision::cpp_int(5) << 64 | words.next64());
  EXPECT_EQ(u.bits, 67);
  u.reveal(random);
  EXPECT_EQ(u.value & ~std::uint64_t{0}, words.next64());
  EXPECT_EQ(u.bits, 131);
  EXPECT_EQ(random.next64(), words.next64());
}

TEST(LazyUniform, ShortDigitsAreTheFirstOfAWord) {
  RandomStream random({2}), words({2});
  LazyUniform u{0, 0, 3};
  for (int i = 1; i <= 100; ++i) {
    u.reveal(random);
    EXPECT_EQ(u.value & 7, words.next64() >> 61);
    EXPECT_EQ(u.bits, 3 * i);
  }
}

}  // namespace
}  // namespace dpmix
