#include "core/random/normal_cells.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <vector>

#include "core/random/lazy_uniform.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<400>>;

// P(cell <= j), by the sum of e^{-(i/64)^2/2} in 400 binary digits.
const std::vector<Real>& cumulative() {
  static const std::vector<Real> sums = [] {
    std::vector<Real> partial;
    Real sum = 0;
    for (int i = 0; i < 1400; ++i) partial.push_back(sum += exp(-Real(i) * i / 8192));
    for (Real& part : partial) part /= sum;
    return partial;
  }();
  return sums;
}

cpp_int digits(const Real& x, int bits) {
  return cpp_int(floor(ldexp(x, bits)));
}

TEST(NormalCells, TableIsExact) {
  const NormalCells& cells = normal_cells();
  ASSERT_GT(cells.at_most.size(), 500u);
  for (std::size_t j = 0; j < cells.at_most.size(); ++j) {
    ASSERT_EQ(cells.at_most[j], digits(cumulative()[j], 64)) << j;
  }
}

// A slot that names a cell is strictly inside it.
TEST(NormalCells, SlotsAreInsideTheirCells) {
  const NormalCells& cells = normal_cells();
  const Real width = ldexp(Real(1), -NormalCells::slot_bits);
  int told = 0;
  for (std::size_t i = 0; i < cells.slot.size(); ++i) {
    const std::size_t cell = cells.slot[i];
    if (cell == 0) continue;
    ++told;
    ASSERT_LT(cumulative()[cell - 1], i * width) << i;
    ASSERT_GT(cumulative()[cell], (i + 1) * width) << i;
  }
  EXPECT_GT(told, .96 * static_cast<double>(cells.slot.size()));  // what makes it fast
}

TEST(NormalCells, FindFollowsTheDigits) {
  RandomStream random({1}), words({1});
  for (std::uint64_t i = 0; i < (1u << NormalCells::slot_bits); ++i) {
    const std::uint64_t cell = normal_cells().find(random, i);
    const Real u = ldexp(Real(i) + ldexp(Real(words.next64()), -64), -NormalCells::slot_bits);
    ASSERT_LT(u, cumulative()[cell]) << i;
    if (cell > 0) {
      ASSERT_GE(u, cumulative()[cell - 1]) << i;
    }
  }
}

// Uniforms that begin like a threshold: one more or less in the last known place decides, a tie
// takes more words. Beyond the table too.
TEST(NormalCells, ExactCellsAtTheThresholds) {
  RandomStream random({2});
  for (const std::size_t j : {0, 1, 50, 200, 300, 500, 590, 700, 800}) {
    for (const int bits : {70, 77, 150}) {
      const cpp_int at = digits(cumulative()[j], bits);
      if (at != digits(cumulative()[j + 1], bits) &&
          at > digits(j == 0 ? 0 : cumulative()[j - 1], bits)) {
        LazyUniform below{at - 1, bits}, above{at + 1, bits};
        EXPECT_EQ(exact_normal_cell(random, below), j);
        EXPECT_EQ(below.bits, bits);
        if (at + 1 < digits(cumulative()[j + 1], bits)) {
          EXPECT_EQ(exact_normal_cell(random, above), j + 1);
          EXPECT_EQ(above.bits, bits);
        }
      }
      LazyUniform tied{at, bits};
      const std::uint64_t cell = exact_normal_cell(random, tied);
      EXPECT_GT(tied.bits, bits);
      EXPECT_LT(tied.value, digits(cumulative()[cell], tied.bits));
      if (cell > 0) {
        EXPECT_GE(tied.value, digits(cumulative()[cell - 1], tied.bits));
      }
    }
  }
}

// The first 77 digits drawn: the table and the sums agree.
TEST(NormalCells, TableAgreesWithExactCells) {
  RandomStream random({3}), words({3});
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t slot = random.next64() >> (64 - NormalCells::slot_bits);
    words.next64();
    LazyUniform u{cpp_int(slot) << 64 | words.next64(), 64 + NormalCells::slot_bits};
    EXPECT_EQ(normal_cells().find(random, slot), exact_normal_cell(words, u));
  }
}

}  // namespace
}  // namespace dpmix
