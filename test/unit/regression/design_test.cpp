// The coding of rows: bounded as the noise takes it to be, linear in what was asked for.
#include "core/regression/design.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/regression/ranges.hpp"
#include "tables/regression_tables.hpp"

namespace dpmix::test {
namespace {

std::vector<double> coded(const Design& design, const std::vector<double>& row) {
  std::vector<double> z(static_cast<std::size_t>(design.columns()) + 1);
  return design.code(row.data(), z.data()) ? z : std::vector<double>();
}

// (1, numbers, indicators of all categories but the first, powers).
Vector asked_for(const Design& design, const std::vector<double>& row) {
  std::vector<double> f{1};
  std::size_t input = 0;
  std::vector<double> number;  // of each term
  for (const DesignTerm& t : design.terms) {
    if (t.kind == TermKind::power) {
      f.push_back(std::pow(number[static_cast<std::size_t>(t.base)], t.power));
      number.push_back(0);
      continue;
    }
    const double x = row[input++];
    number.push_back(std::clamp(x, t.lower, t.upper));
    if (t.kind == TermKind::number) f.push_back(number.back());
    for (int j = 1; j < t.categories; ++j) f.push_back(x == j ? 1 : 0);
  }
  return Eigen::Map<const Vector>(f.data(), static_cast<Eigen::Index>(f.size()));
}

TEST(RegressionDesign, RowsAreInTheBallAndNoneIsClipped) {
  const Design design = mixed_design();
  const MomentFrame frame = design.frame(1);
  std::mt19937_64 random(1);
  double largest = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::vector<double> z = coded(design, awkward_row(random, design, false));
    if (z.empty()) continue;
    double norm2 = 0;
    for (const double x : z) {
      ASSERT_LE(std::fabs(x), 1);
      norm2 += x * x;
    }
    ASSERT_LT(norm2, frame.classes[0].radius * frame.classes[0].radius * (1 - 0x1p-40));
    largest = std::max(largest, norm2);
  }
  EXPECT_NEAR(largest, design.norm2() + 1, 1e-9);  // all at their bounds
}

TEST(RegressionDesign, CodesAreLinearInWhatWasAskedFor) {
  const Design design = mixed_design();
  const Matrix map = design.map();
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> row;
    for (const DesignTerm& t : design.terms) {
      if (t.kind == TermKind::number) {
        row.push_back(std::uniform_real_distribution<double>(t.lower, t.upper)(random));
      } else if (t.kind == TermKind::category) {
        row.push_back(static_cast<double>(random() % static_cast<std::uint64_t>(t.categories)));
      }
    }
    row.push_back(4);
    const std::vector<double> z = coded(design, row);
    const Vector linear = map * asked_for(design, row);
    EXPECT_NEAR(linear[0], 1, 1e-12);
    for (int i = 0; i < design.columns(); ++i) {
      EXPECT_NEAR(linear[i + 1], z[static_cast<std::size_t>(i)], 1e-9);
    }
    EXPECT_NEAR(z.back(), 0, 1e-15);  // 4 is the middle of -1 and 9
  }
}

TEST(RegressionDesign, CategoriesAreCornersOfARegularSimplex) {
  for (const int k : {1, 2, 3, 4, 7, 40}) {
    Design design;
    design.terms = {category_term(k)};
    for (int a = 0; a < k; ++a) {
      const std::vector<double> one = coded(design, {static_cast<double>(a), 0});
      ASSERT_EQ(one.size(), static_cast<std::size_t>(k));
      for (int b = 0; b <= a; ++b) {
        const std::vector<double> other = coded(design, {static_cast<double>(b), 0});
        double product = 0;
        for (int i = 0; i + 1 < k; ++i) {
          product += one[static_cast<std::size_t>(i)] * other[static_cast<std::size_t>(i)];
        }
        if (k > 1) {
          EXPECT_NEAR(product, a == b ? 1 : -1. / (k - 1), 1e-13);
        }
      }
    }
  }
}

TEST(RegressionDesign, MissingRows) {
  Design design;
  design.terms = {number_term(0, 1), category_term(3)};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(coded(design, {nan, 1, 0}).empty());
  EXPECT_TRUE(coded(design, {0, nan, 0}).empty());
  EXPECT_TRUE(coded(design, {0, 3, 0}).empty());
  EXPECT_TRUE(coded(design, {0, -1, 0}).empty());
  EXPECT_TRUE(coded(design, {0, 1, nan}).empty());
  EXPECT_FALSE(coded(design, {0, 1, 0}).empty());
  design.keeps_missing_target = true;
  const std::vector<double> kept = coded(design, {0, 1, nan});
  ASSERT_FALSE(kept.empty());
  EXPECT_EQ(kept.back(), 0);
  EXPECT_TRUE(coded(design, {nan, 1, nan}).empty());
}

TEST(RegressionDesign, Packs) {
  Design design = mixed_design();
  design.keeps_missing_target = true;
  const Design back = Design::unpack(design.pack());
  EXPECT_EQ(back.pack(), design.pack());
  std::vector<double> damaged = design.pack();
  damaged.pop_back();
  EXPECT_THROW(Design::unpack(damaged), Error);
  damaged = design.pack();
  damaged[3] = 7;  // a kind that is none
  EXPECT_THROW(Design::unpack(damaged), Error);
}

TEST(RegressionDesign, Refuses) {
  const auto refused = [](std::vector<DesignTerm> terms) {
    Design design;
    design.terms = std::move(terms);
    EXPECT_THROW(design.check(), Error);
  };
  refused({number_term(1, 1)});
  refused({number_term(0, std::numeric_limits<double>::infinity())});
  refused({power_term(0, 2)});                                       // of itself
  refused({category_term(2), power_term(0, 2)});                     // of no number
  refused({number_term(0, 1), power_term(0, 3)});                    // without the square
  refused({number_term(0, 1), power_term(0, 2), power_term(0, 5)});  // beyond the fourth
  refused({category_term(60), category_term(60)});                   // too many columns
  Design all;
  all.terms.assign(Design::most_columns, number_term(0, 1));
  EXPECT_NO_THROW(all.check());
  EXPECT_NO_THROW(all.frame(1));
  EXPECT_THROW(all.frame(1000), Error);
}

TEST(CoefficientRanges, AreHowFarTermsCanGo) {
  Design design;
  design.terms = {number_term(-2, 3), category_term(3), power_term(0, 2), power_term(0, 3)};
  EXPECT_EQ(coefficient_ranges(design), (std::vector<double>{1, 5, 1, 1, 9, 35}));
  design.terms = {number_term(2, 3), power_term(0, 2)};
  EXPECT_EQ(coefficient_ranges(design), (std::vector<double>{1, 1, 5}));
}

}  // namespace
}  // namespace dpmix::test
