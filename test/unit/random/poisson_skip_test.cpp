#include "core/random/poisson_skip.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include "core/error.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
constexpr std::uint64_t all = std::uint64_t{1} << 32;

constexpr double bound = 1 + 0x1p-10;  // in units of 2^-128

// Is |entry / 2^128 - numerator / denominator| < bound * 2^-128?
bool is_near(const InversionTable& table, std::size_t i, const cpp_int& numerator,
             const cpp_int& denominator) {
  const cpp_int error = cpp_int(table.cumulative(i)) * denominator - (numerator << 128);
  return abs(error) * 1024 < denominator * static_cast<int>(bound * 1024);
}

// The claim of docs/proofs/samplers.md, entry by entry, in exact integers: (1-q)^i is
// failure^i / 2^(32 i).
TEST(PoissonSkip, TablesAreRightToTheLastPlace) {
  for (const std::uint64_t threshold :
       {all - 1, all / 2, all / 2 - 1, all / 10, std::uint64_t{1} << 25}) {
    const PoissonSkip skip(threshold);
    const auto block = static_cast<unsigned>(skip.block());
    const cpp_int failure = all - threshold;
    const cpp_int block_survival = pow(failure, block), one_block = cpp_int(1) << (32 * block);
    ASSERT_EQ(skip.within().size(), block);
    cpp_int survival = 1, one = 1;
    for (std::size_t i = 0; i + 1 < skip.within().size(); ++i) {
      survival *= failure;
      one <<= 32;
      ASSERT_TRUE(is_near(skip.within(), i, (one - survival) * one_block,
                          one * (one_block - block_survival)));
    }
    survival = one = 1;
    for (std::size_t j = 0; j + 1 < skip.blocks().size(); ++j) {
      survival *= block_survival;
      one *= one_block;
      ASSERT_TRUE(is_near(skip.blocks(), j, one - survival, one));
    }
    // What the table cuts off.
    EXPECT_LT((survival * block_survival) << 129, one * one_block) << threshold;
  }
}

// Long tables against 100 digits.
TEST(PoissonSkip, LongTablesAreRightToTheLastPlace) {
  using Real = boost::multiprecision::cpp_bin_float_100;
  const std::uint64_t threshold = 4295;  // about 10^-6
  const PoissonSkip skip(threshold);
  const Real failure = Real(all - threshold) / all, scale = pow(Real(2), 128);
  const Real block_survival = pow(failure, Real(skip.block()));
  const auto error = [&](const InversionTable& table, std::size_t i, const Real& law) {
    return static_cast<double>(abs(Real(cpp_int(table.cumulative(i))) - law * scale));
  };
  Real survival = 1;
  for (std::size_t i = 0; i + 1 < skip.within().size(); ++i) {
    survival *= failure;
    ASSERT_LT(error(skip.within(), i, (1 - survival) / (1 - block_survival)), bound);
  }
  survival = 1;
  for (std::size_t j = 0; j + 1 < skip.blocks().size(); ++j) {
    survival *= block_survival;
    ASSERT_LT(error(skip.blocks(), j, 1 - survival), bound);
  }
}

TEST(PoissonSkip, CertaintySkipsNothing) {
  RandomStream random({1});
  const PoissonSkip skip(all);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(skip.gap(random), 1u);
}

// The number of entries that the bound on the total variation counts on.
TEST(PoissonSkip, LeastProbabilityHasFewerThanTwoToTheTwentyEntries) {
  RandomStream random({2});
  const PoissonSkip skip(1);
  EXPECT_LT(skip.within().size(), std::size_t{1} << 20);
  EXPECT_LT(skip.blocks().size(), std::size_t{1} << 20);
  double sum = 0;
  constexpr int draws = 4000;
  for (int i = 0; i < draws; ++i) sum += static_cast<double>(skip.gap(random));
  EXPECT_NEAR(sum / draws * 0x1p-32, 1, 7 / std::sqrt(draws));
}

TEST(PoissonSkip, RefusesWhatIsNoProbability) {
  EXPECT_THROW(PoissonSkip(0), Error);
  EXPECT_THROW(PoissonSkip(all + 1), Error);
}

}  // namespace
}  // namespace dpmix
