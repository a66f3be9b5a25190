#include "core/random/inversion_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace dpmix {
namespace {

UInt128 fixed(std::uint64_t high, std::uint64_t low) {
  return static_cast<UInt128>(high) << 64 | low;
}

TEST(InversionTable, OneIndexIsCertain) {
  RandomStream random({1});
  const InversionTable table({});
  EXPECT_EQ(table.size(), 1u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(table.draw(random), 0u);
}

// Against a linear search with a second stream of the same key. No entry ties with a word here.
TEST(InversionTable, FindsWhatALinearSearchFinds) {
  RandomStream random({2}), words({2}), entries({3});
  for (const std::size_t size : {1, 2, 3, 7, 8, 100, 1000}) {
    for (const int crowding : {0, 8, 40}) {  // how many leading bits all entries share
      std::vector<UInt128> cumulative;
      for (std::size_t i = 0; i < size; ++i) {
        cumulative.push_back(fixed(entries.next64() >> crowding, entries.next64()));
      }
      std::sort(cumulative.begin(), cumulative.end());
      const InversionTable table(cumulative);
      for (int i = 0; i < 300; ++i) {
        const UInt128 u = fixed(words.next64(), 0);
        const auto expected = std::count_if(cumulative.begin(), cumulative.end(),
                                            [&](UInt128 value) { return value <= u; });
        ASSERT_EQ(table.draw(random), static_cast<std::size_t>(expected));
      }
    }
  }
}

// Entries made to share the high word that the stream is about to draw: the low word must decide,
// and be drawn only then.
TEST(InversionTable, TieDrawsTheLowWord) {
  for (std::uint8_t key = 0; key < 50; ++key) {
    RandomStream words({key});
    const std::uint64_t high = words.next64(), low = words.next64(), next = words.next64();
    const struct {
      std::vector<UInt128> cumulative;
      std::size_t index;
    } cases[] = {
        {{fixed(high, low)}, 1},
        {{fixed(high, low + 1)}, 0},
        {{fixed(high - 1, ~std::uint64_t{0}), fixed(high, 0), fixed(high, low - 1),
          fixed(high, low), fixed(high, low + 1), fixed(high, ~std::uint64_t{0}),
          fixed(high + 1, 0)},
         4},
    };
    for (const auto& c : cases) {
      RandomStream random({key});
      EXPECT_EQ(InversionTable(c.cumulative).draw(random), c.index);
      EXPECT_EQ(random.next64(), next);
    }
    RandomStream random({key});
    EXPECT_EQ(InversionTable({fixed(high - 1, 5), fixed(high + 1, 5)}).draw(random), 1u);
    EXPECT_EQ(random.next64(), low);
  }
}

}  // namespace
}  // namespace dpmix
