#include "core/accounting/block_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "core/accounting/block_code.hpp"
#include "core/base/error.hpp"

namespace dpmix {
namespace {

// Of twelve digits, as costs are.
Spending spending(double epsilon, double delta, double amount, double added) {
  return {Decimal::round_up(epsilon), Decimal::round_up(delta), Decimal::round_up(amount),
          Decimal::round_up(added)};
}

Filter filter_of(Accountant accountant) {
  return {accountant, Decimal::printed(1), Decimal::printed(1e-6), 0};
}

// Each block by itself, with the filter's exact decimals.
class PlainBlocks {
 public:
  bool admits(const Filter& filter, BlockRange range, const Spending& charge) const {
    for (auto block = range.first; block <= range.last; ++block) {
      const auto found = sums_.find(block);
      if (!filter.admits(found == sums_.end() ? Spending{} : found->second, charge)) return false;
    }
    return true;
  }
  void add(BlockRange range, const Spending& charge) {
    for (auto block = range.first; block <= range.last; ++block) {
      Spending& sum = sums_[block];
      sum = sum + charge;
      ++charges_[block];
    }
  }
  const std::map<std::int64_t, Spending>& sums() const { return sums_; }
  std::int64_t charges(std::int64_t block) const { return charges_.at(block); }

 private:
  std::map<std::int64_t, Spending> sums_;
  std::map<std::int64_t, std::int64_t> charges_;
};

class BlockSumsOf : public testing::TestWithParam<Accountant> {};

// Random charges, admitted or not as each block's own filter says; and the same sums in the end.
TEST_P(BlockSumsOf, DecideAsEachBlockAlone) {
  const Filter filter = filter_of(GetParam());
  const BlockFilter block_filter(filter);
  std::mt19937_64 random(7);
  for (int round = 0; round < 2; ++round) {
    BlockSums sums;
    PlainBlocks plain;
    int refused = 0;
    for (int i = 0; i < 1200; ++i) {
      const auto a = std::int64_t(random() % 700), b = std::int64_t(random() % 700);
      const BlockRange range{std::min(a, b), random() % 3 ? std::max(a, b) : std::min(a, b)};
      // Either arm may be the one that is left.
      const double size = .002 * double(1 + random() % 9), other = .0002 * double(1 + random() % 9);
      const Spending charge =
          spending(size, 1e-10 * double(random() % 5), other, 1e-11 * double(random() % 50));
      const BlockCharge asked{range, BlockSpending::up(charge)};
      const bool admitted = plain.admits(filter, range, charge);
      ASSERT_EQ(sums.admits(block_filter, {&asked, 1}), admitted);
      refused += !admitted;
      if (!admitted) continue;
      sums.add({&asked, 1});
      plain.add(range, charge);
    }
    EXPECT_GT(refused, 0);
    std::size_t blocks = 0;
    for (const BlockSegment& segment : sums.segments()) {
      for (auto b = segment.blocks.first; b <= segment.blocks.last; ++b, ++blocks) {
        ASSERT_EQ(segment.sums.part, BlockSpending::up(plain.sums().at(b)).part);
        ASSERT_EQ(segment.sums.charges, plain.charges(b));
        ASSERT_NEAR(block_filter.share_spent(segment.sums), filter.share_spent(plain.sums().at(b)),
                    1e-9);
      }
    }
    EXPECT_EQ(blocks, plain.sums().size());
  }
}

INSTANTIATE_TEST_SUITE_P(Accountants, BlockSumsOf,
                         testing::Values(Accountant::basic, Accountant::gdp));

TEST(BlockSums, AllBlocksAndTheEndsOfNumbers) {
  const Filter filter = filter_of(Accountant::basic);
  BlockSums sums;
  const BlockCharge everything{kAllBlocks, BlockSpending::up(spending(.6, 0, 0, 0))};
  const BlockCharge last{{kAllBlocks.last, kAllBlocks.last},
                         BlockSpending::up(spending(.375, 0, 0, 0))};
  sums.add({&everything, 1});
  EXPECT_FALSE(sums.admits(BlockFilter(filter), {&everything, 1}));
  EXPECT_TRUE(sums.admits(BlockFilter(filter), {&last, 1}));
  sums.add({&last, 1});
  EXPECT_FALSE(sums.admits(BlockFilter(filter), {&last, 1}));
  const auto segments = sums.segments();
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].blocks, (BlockRange{kAllBlocks.first, kAllBlocks.last - 1}));
  EXPECT_EQ(sums.segments({5, 9}).size(), 1u);
}

// A decade of hours, charged a million ranges at random: what a checkpoint of it takes.
TEST(BlockSums, CheckpointsAreReadAsTheyWereWritten) {
  BlockSums sums;
  std::mt19937_64 random(11);
  for (int i = 0; i < 100000; ++i) {
    const auto a = std::int64_t(random() % 87600), b = std::int64_t(random() % 87600);
    const double epsilon = 1e-4 * double(1 + random() % 1000);
    const BlockCharge charge{{std::min(a, b), std::max(a, b)},
                             BlockSpending::up(spending(epsilon, 1e-9, epsilon * .1, 0))};
    sums.add({&charge, 1});
    if (i > 2000) i += 50;
  }
  const BlockCharge everything{kAllBlocks, BlockSpending::up(spending(.5, 1e-7, .01, 1e-8))};
  sums.add({&everything, 1});
  const std::string bytes = encode(sums);
  EXPECT_LT(bytes.size(), 5u << 20);
  const auto was = sums.segments(), is = decode_block_sums(bytes).segments();
  ASSERT_EQ(was.size(), is.size());
  for (std::size_t i = 0; i < was.size(); ++i) {
    ASSERT_EQ(was[i].blocks, is[i].blocks);
    ASSERT_EQ(was[i].sums, is[i].sums);
  }
  EXPECT_THROW(decode_block_sums(std::string_view(bytes).substr(0, bytes.size() - 1)), Error);
}

TEST(BlockSums, RefusesBytesThatAreNone) {
  const std::string least = {1}, none = {0}, farthest = "\xfe" + std::string(17, '\xff') + "\x03";
  const std::string block = none + none, sums = none + none + none + none + none;
  EXPECT_EQ(decode_block_sums(block + sums).segments().size(),
            0u);                                      // of a block that nothing is charged
  for (const std::string& bad : {least, farthest}) {  // below 0; 2^127 - 1
    EXPECT_THROW(decode_block_sums(none + bad + sums), Error);
    EXPECT_THROW(decode_block_sums(block + bad + none + none + none + none), Error);
    EXPECT_THROW(decode_block_sums(block + none + none + none + none + bad), Error);
  }
  EXPECT_THROW(decode_block_sums(farthest + none + sums), Error);
  EXPECT_THROW(decode_block_sums(block + sums + block + sums), Error);  // one block twice
}

TEST(BlockSums, TheTightestBlockIsOneWithoutRoom) {
  const Filter filter = filter_of(Accountant::basic);
  BlockSums sums;
  const BlockCharge some{{3, 5}, BlockSpending::up(spending(.75, 0, 0, 0))};
  sums.add({&some, 1});
  const BlockCharge asked{{0, 9}, BlockSpending::up(spending(.5, 0, 0, 0))};
  const BlockSegment found = sums.tightest(BlockFilter(filter), asked);
  EXPECT_EQ(found.blocks, (BlockRange{3, 5}));
  EXPECT_EQ(found.sums.decimals().epsilon.str(), "0.75");
}

TEST(BlockSums, TheFullestBlockIsThatOfTheLargestShare) {
  const BlockFilter filter{filter_of(Accountant::gdp)};
  EXPECT_EQ(shares_of({}, filter).most, 0);
  BlockSums sums;
  const BlockCharge some{{3, 5}, BlockSpending::up(spending(.3, 0, .5, 0))},
      more{{5, 9}, BlockSpending::up(spending(.4, 0, .01, 0))};
  sums.add({&some, 1});
  sums.add({&more, 1});
  const auto segments = sums.segments();
  const BlockShares shares = shares_of(segments, filter);
  // Of the first .3 and of the last the cost, which is the less of its two; of the middle .7.
  EXPECT_EQ(shares.fullest.blocks, (BlockRange{5, 5}));
  EXPECT_EQ(shares.fullest.sums.charges, 2);
  EXPECT_NEAR(shares.most, .7, 1e-12);
  EXPECT_NEAR(shares.least, .01 / filter_of(Accountant::gdp).amount_total().approximate(), 1e-9);
}

// Two charges of a half are no single one, though their sums are the same.
TEST(BlockSums, BlocksOfOtherNumbersOfChargesAreApart) {
  BlockSums sums;
  const BlockCharge half{{1, 1}, BlockSpending::up(spending(.5, 0, 0, 0))},
      whole{{2, 2}, BlockSpending::up(spending(1, 0, 0, 0))};
  for (const BlockCharge& charge : {half, half, whole}) sums.add({&charge, 1});
  const auto segments = sums.segments(), read = decode_block_sums(encode(sums)).segments();
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].sums.charges, 2);
  EXPECT_EQ(read.at(1).sums, segments[1].sums);
}

TEST(BlockSums, NoBlockIsNeverFull) {
  BlockSums sums;
  const BlockCharge none{kNoBlock, BlockSpending::up(spending(.75, 0, 0, 0))};
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(sums.admits(BlockFilter(filter_of(Accountant::basic)), {&none, 1}));
    sums.add({&none, 1});
  }
  EXPECT_TRUE(sums.segments().empty());
}

// Rounding to units is always towards what is refused.
TEST(BlockSpending, RoundsChargesUpAndLimitsDown) {
  const Spending tiny = spending(1e-30, 1e-30, 1e-30, 1e-30);
  for (const Int128 part : BlockSpending::up(tiny).part) EXPECT_EQ(part, 1);
  for (const Int128 part : BlockSpending::down(tiny).part) EXPECT_EQ(part, 0);
  const Spending huge = spending(1e300, 1e300, 1e300, 1e300);
  BlockSpending sum = BlockSpending::up(huge);
  for (int i = 0; i < 5; ++i) sum += BlockSpending::up(huge);
  for (const Int128 part : sum.part) EXPECT_EQ(part, Int128{1} << 126);
}

}  // namespace
}  // namespace dpmix
