#include "core/stats/bin_counts.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/base/error.hpp"
#include "core/input/distance_bins.hpp"

namespace dpmix {
namespace {

TEST(BinCounts, TextIsExact) {
  EXPECT_EQ(BinCounts().to_text(), "()");
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 100; ++trial) {
    BinCounts counts(1 + static_cast<int>(random() % 7), 1 + static_cast<int>(random() % 9),
                     random());
    for (int i = 0; i < 200; ++i) {
      counts.add(static_cast<int>(random() % static_cast<unsigned>(counts.classes)),
                 static_cast<int>(random() % static_cast<unsigned>(counts.bins)));
    }
    const auto read = BinCounts::from_text(counts.to_text());
    ASSERT_TRUE(read) << counts.to_text();
    EXPECT_EQ(read->classes, counts.classes);
    EXPECT_EQ(read->bins, counts.bins);
    EXPECT_EQ(read->frame, counts.frame);
    EXPECT_EQ(read->counts, counts.counts);
    EXPECT_EQ(read->to_text(), counts.to_text());
  }
}

TEST(BinCounts, RefusesWhatNoRowsCanMake) {
  EXPECT_TRUE(BinCounts::from_text("(1,2,ab){4611686018427387904,0}"));
  for (const char* text : {"",
                           "(",
                           "()x",
                           "(1,2,ab)",
                           "(1,2,ab){1}",
                           "(1,2,ab){1,2,3}",
                           "(1,2,ab){1,2",
                           "(1,2,ab){1,2}x",
                           "(0,2,ab){}",
                           "(2,0,ab){}",
                           "(-1,-2,ab){1,2}",
                           "(1,2,xy){1,2}",
                           "(1,2,ab){1,-2}",
                           "(1,2,ab){1, 2}",
                           "(1,1,ab){4611686018427387905}",
                           "(1,2,ab){4611686018427387904,1}",
                           "(1,1,ab){9223372036854775808}",
                           "(1001,1,ab){1}",
                           "(2,1048576,ab){1}",
                           "(1,1,12345678901234567){1}"}) {
    EXPECT_FALSE(BinCounts::from_text(text)) << text;
  }
  BinCounts counts(2, 3, 1);
  EXPECT_TRUE(counts.plausible());
  counts.counts.pop_back();
  EXPECT_FALSE(counts.plausible());
}

TEST(BinCounts, AddUpOrStayAsTheyAre) {
  std::vector<std::int64_t> mine = {1, 2, 3};
  EXPECT_TRUE(add_counts(mine, std::vector<std::int64_t>{10, 20, 30}));
  EXPECT_EQ(mine, (std::vector<std::int64_t>{11, 22, 33}));
  EXPECT_FALSE(add_counts(mine, std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(add_counts(mine, std::vector<std::int64_t>{0, 0, -1}));
  EXPECT_FALSE(add_counts(mine, std::vector<std::int64_t>{std::int64_t{1} << 62, 0, 0}));
  EXPECT_EQ(mine, (std::vector<std::int64_t>{11, 22, 33}));
  // Large ones are summed up, small ones not: no limit lies between.
  const std::int64_t most = std::int64_t{1} << 62;
  for (const std::int64_t count : {(most >> 21) - 1, most >> 21, most / 2}) {
    std::vector<std::int64_t> large{count, 0};
    EXPECT_TRUE(add_counts(large, std::vector<std::int64_t>{count, 1}) == (count < most / 2));
    EXPECT_TRUE(add_counts(large, std::vector<std::int64_t>{0, most - 2 * count - 1}) ==
                (count < most / 2));
    EXPECT_FALSE(add_counts(large, std::vector<std::int64_t>{0, most / 2 + 1}));
  }
}

std::vector<double> packed_with(std::vector<double> edges) {
  std::vector<double> packed = {1, 1, 1, 0, 5, -9, 9, 1, 0, 1};
  packed.insert(packed.end(), edges.begin(), edges.end());
  return packed;
}

TEST(DistanceBins, EdgesAreAscendingWholeNumbers) {
  EXPECT_EQ(DistanceBins::unpack(packed_with({0, 4, 9})).bins(), 4);
  std::vector<double> many(DistanceBins::max_edges);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  EXPECT_EQ(DistanceBins::unpack(packed_with(many)).bins(), 1001);
  many.push_back(1e9);
  for (const std::vector<double>& edges : {std::vector<double>{},
                                           many,
                                           {-1},
                                           {1, 1},
                                           {2, 1},
                                           {.5},
                                           {NAN},
                                           {1, INFINITY},
                                           {-INFINITY}}) {
    EXPECT_THROW(DistanceBins::unpack(packed_with(edges)), Error);
  }
  EXPECT_THROW(DistanceBins::unpack({}), Error);
}

TEST(DistanceBins, ARowIsInOneBinByItsSquaredDistance) {
  const std::vector<double> edges = {0, 4, 25};
  const std::int32_t q[][2] = {{0, 0}, {1, 0}, {0, -2}, {2, 1}, {3, 4}, {-4, 4}};
  const int expected[] = {0, 1, 1, 2, 2, 3};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(distance_bin(edges, q[i], 2), expected[i]) << i;
}

}  // namespace
}  // namespace dpmix
