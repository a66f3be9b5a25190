#include "core/random/lazy_uniform.hpp"

#include <gtest/gtest.h>

namespace dpmix {
namespace {

TEST(LazyUniform, DrawsTheFirstDigitOnlyAndRevealsTheNext) {
  RandomStream random({1}), words({1});
  LazyUniform x(random, 64);
  EXPECT_EQ(x.known(), 1u);
  EXPECT_EQ(x.digit(0), words.next64());
  x.reveal(random);
  EXPECT_EQ(x.known(), 2u);
  EXPECT_EQ(x.digit(1), words.next64());
  EXPECT_EQ(random.next64(), words.next64());
}

// With one-bit digits two deviates tie half of the time at each digit.
TEST(LazyUniform, OrderAgreesWithTheDigits) {
  RandomStream random({2});
  std::size_t longest = 0;
  for (int i = 0; i < 5000; ++i) {
    LazyUniform a(random, 1), b(random, 1);
    const bool less = LazyUniform::less(random, a, b);
    EXPECT_EQ(LazyUniform::less(random, b, a), !less);
    ASSERT_EQ(a.known(), b.known());
    for (std::size_t digit = 0; digit + 1 < a.known(); ++digit)
      EXPECT_EQ(a.digit(digit), b.digit(digit));
    EXPECT_EQ(less, a.digit(a.known() - 1) == 0 && b.digit(b.known() - 1) == 1);
    longest = std::max(longest, a.known());
  }
  EXPECT_GE(longest, 8u);
}

}  // namespace
}  // namespace dpmix
